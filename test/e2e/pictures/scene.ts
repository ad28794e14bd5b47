import { setTimeout as sleep } from 'node:timers/promises'
import { startSystem } from '../../../actors/system.ts'
import { alertFor, startProviders } from '../../../src/commands/simulate.ts'
import { loadConfig, reportOf } from '../../../src/config/load.ts'
import { secretValues } from '../../../src/config/secrets.ts'
import { type Provider, startProvider } from '../../../src/simulator/index.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { post, SECRET } from '../../harness/requests.ts'
import { memoryLog } from '../../harness/system.ts'
import { alertNumber, latest } from './incidents.ts'

/** Milliseconds that a stand-in takes to answer. */
const ANSWER_MS = { chatws: 120, msgapp: 70, messenger: 180, officechat: 240, workchat: 150, email: 130, webhook: 90 }
const PERSONS = ['Maren', 'Jonas', 'Ada']

/** Starts the real service with a stand-in for every provider. */
export async function startScene() {
  const providers = await startProviders(0)
  const pager = await startProvider('webhook')
  for (const [name, provider] of Object.entries({ ...providers, webhook: pager })) answerLate(name, provider)
  const file = configFile(folder(), {
    alert: alertFor(providers),
    delivery: {},
    oncall: {
      ...{ enable: true, wait_minutes: 1.5, provider: 'webhook', public_host: 'https://tocsin.example.net' },
      webhook: { url: pager.url, secret: 'simulated' },
    },
  })
  const loaded = loadConfig({ file, env: {} })
  const secrets = secretValues(loaded.config)
  const system = await startSystem(loaded.config, {
    log: memoryLog(),
    secrets,
    shown: () => reportOf(loaded),
    propose: (sections) => loaded.propose(sections),
  })
  const url = `http://127.0.0.1:${system.port}`
  return {
    url,
    /** Sends 1 to 11 alerts per second. A person acknowledges each after 4 s. */
    async play(seconds: number): Promise<void> {
      let number = 0
      for (let second = 0; second < seconds; second++) {
        const count = Math.round(3 + 2 * Math.sin(second / 9) + (second % 70 > 58 ? 6 : 0))
        for (let each = 0; each < count; each++) {
          void raise(url, alertNumber(number++)).then((id) => acknowledge(url, id, number))
          await sleep(1_000 / count)
        }
      }
    },
    /** Sends the last incidents of the picture, one of which becomes a dead letter; resolves with their ids. */
    async finish(): Promise<string[]> {
      const ids: string[] = []
      for (const payload of latest()) {
        if (ids.length === 1)
          providers.msgapp.next({ status: 403, body: { ok: false, description: 'Forbidden: bot was kicked' } })
        ids.push(await raise(url, payload))
        await sleep(2_500)
      }
      return ids
    },
    async stop(): Promise<void> {
      await system.stop()
      await Promise.all([...Object.values(providers), pager].map((provider) => provider.close()))
    },
  }
}

function answerLate(name: string, provider: Provider): void {
  const usual = ANSWER_MS[name as keyof typeof ANSWER_MS]
  provider.script = (_, nth) => ({ after: sleep(usual * (0.7 + ((nth * 7) % 10) / 12)) })
}

async function raise(url: string, payload: object): Promise<string> {
  const answer = await post(url, payload)
  return answer.headers.get('x-incident-id') ?? ''
}

async function acknowledge(url: string, id: string, number: number): Promise<void> {
  await sleep(4_000)
  await fetch(`${url}/api/admin/incidents/${id}/ack`, {
    method: 'POST',
    headers: { 'X-Gateway-Secret': SECRET, 'Content-Type': 'application/json' },
    body: JSON.stringify({ by: PERSONS[number % PERSONS.length] }),
  })
}
