import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { configFile, folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { type AlertStream, alertAt } from '../../harness/noise/alerts.ts'
import { DigestAccount } from '../../harness/noise/digest-account.ts'
import { startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'
import { randomFrom } from '../../harness/random.ts'
import { until } from '../../harness/until.ts'
import { SEED } from '../campaign.ts'
import { SABOTAGED, type SabotageOrder } from './saboteur.ts'

const STREAM: AlertStream = { count: 10_000, problems: 50, criticals: 5 }
const ARRAY = 50
const KILLS = 12

test(`killed ${KILLS} times in a storm, while its senders die: the provider is told of every accepted alert once, by the texts it received`, async (t) => {
  const random = randomFrom(SEED)
  const chat = await startStandIn(t, 'chatws')
  const account = new DigestAccount()
  chat.script = ({ text }) => {
    const fails = random() < 0.1
    if (!fails) account.add(text)
    return fails ? { status: 500, body: 'oops' } : undefined
  }
  const alert = {
    chatws: {
      ...{ enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url },
      ...{ rate: { per_second: 10, burst: 10 }, storm: { rate: { per_second: 1, burst: 4 } } },
    },
  }
  const file = configFile(folder(), { alert, log: { level: 'info' } })
  const load = new Load()
  for (let kill = 0; kill < KILLS; kill++) await runAndKill(t, file, { load, upTo: (kill + 1) / KILLS, random })
  const { url } = await startProcess(t, file)
  await load.post(url, 1)
  await until(() => account.told === STREAM.count)
  assert.deepEqual(account.faults, [])
  t.diagnostic(`${chat.posts} posts, ${chat.edits} edits, ${account.digests.size} digests`)
})

interface Kill {
  readonly load: Load
  /** Share of the stream that is posted at most. */
  readonly upTo: number
  readonly random: () => number
}

/** In every second run the send thread dies before the process does. */
async function runAndKill(t: TestContext, file: string, { load, upTo, random }: Kill): Promise<void> {
  const { child, url } = await startProcess(t, file, SABOTAGED)
  const exit = once(child, 'exit')
  const posting = load.post(url, upTo).catch((error: Error) => assert.equal(error.name, 'TypeError', error.message))
  await pause(random() * 1_500)
  if (random() < 0.5) {
    child.send({ thread: 'send', does: 'terminate' } satisfies SabotageOrder)
    await pause(random() * 1_500)
  }
  child.kill('SIGKILL')
  await Promise.all([exit, posting])
}

/** Posts the stream in arrays with idempotency keys, each until it is known to be accepted. */
class Load {
  #accepted = 0

  /** Rejects when the connection breaks. */
  async post(url: string, upTo: number): Promise<void> {
    while (this.#accepted < Math.floor(STREAM.count * upTo)) {
      const first = this.#accepted
      const alerts = Array.from({ length: ARRAY }, (_, at) => alertAt(first + at, STREAM))
      const answer = await post(url, alerts, { 'Idempotency-Key': `alerts-${first}` })
      await answer.arrayBuffer()
      if (answer.status === 503) continue
      assert.ok(answer.status === 200 || answer.status === 201, `answered ${answer.status}`)
      this.#accepted += ARRAY
    }
  }
}
