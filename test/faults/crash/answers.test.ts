import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, type Started, startProcess } from '../../harness/process.ts'
import { randomFrom } from '../../harness/random.ts'
import { APP, blockActions, slackRequest, startSlackApp } from '../../harness/slack/app.ts'
import { until } from '../../harness/until.ts'
import { numberFrom, SEED } from '../campaign.ts'

const PROBLEMS = 200
const KILLS = numberFrom('FAULTS_KILLS', 5)
const AT_ONCE = 8
/** One presses 20 times a minute at most. */
const personOf = (press: number) => ({ id: `U0PERSON${press % 97}`, username: 'ada.l', team_id: APP.team })

interface Message {
  readonly ts: string
  readonly token: string
}

interface Detail {
  readonly acked_by: string | null
  readonly answers: readonly { readonly action: string; readonly result: string; readonly silence: number | null }[]
}

test('kill -9 while people press: each act counts once or not at all, and every message shows what was done', async (t) => {
  const app = await startSlackApp(t)
  const file = configFile(folder(), {
    public_host: 'http://127.0.0.1',
    noise: { storm: { enable: false } },
    alert: {
      chatws: {
        ...{ enable: true, token: APP.token, channel_id: 'C0ALERTS', api_url: app.chat.url, ...FAST },
        answers: { mode: 'http', signing_secret: APP.signingSecret },
      },
    },
    log: { level: 'info' },
  })
  let service: Started = await startProcess(t, file)
  const random = randomFrom(SEED)

  const ids: string[] = []
  for (let nth = 0; nth < PROBLEMS; nth++) {
    const answer = await post(service.url, { ServiceName: `service ${nth}`, Logs: `disk ${nth} is full` })
    ids.push(answer.headers.get('x-incident-id') ?? '')
  }
  await until(() => app.calls('chat.postMessage').length >= PROBLEMS)
  const messages = new Map<string, Message>()
  for (const [at, { body }] of app.calls('chat.postMessage').entries()) {
    const [, nth] = /disk (\d+) is full/.exec(body) ?? []
    const [, token] = /"value":"(1s60\.[^"]+)"/.exec(body) ?? []
    messages.set(ids[Number(nth)] ?? '', { ts: tsOf(at + 1), token: token ?? '' })
  }
  assert.equal(messages.size, PROBLEMS)

  let presses = 0
  let acknowledged = 0
  async function press({ ts, token }: Message): Promise<boolean> {
    const payload = blockActions(token, {
      user: personOf(presses),
      container: { type: 'message', message_ts: ts, channel_id: 'C0ALERTS' },
    })
    const [action] = payload.actions
    const request = () =>
      slackRequest({ ...payload, actions: [{ ...action, action_ts: `1700000100.${String(presses)}` }] }, Date.now())
    presses++
    const sent = request()
    const send = () =>
      fetch(`${service.url}/api/chat/chatws`, { method: 'POST', ...sent }).then(
        ({ status }) => status === 200,
        () => false,
      )
    // Slack sends a press again now and then, with the same identity.
    const all = await Promise.all(presses % 3 === 0 ? [send(), send()] : [send()])
    return all.includes(true)
  }
  /** A press above the bounds is confirmed, and the person told to press again. */
  const isStored = (id: string) =>
    admin<Detail>(service.url, `/api/admin/incidents/${id}`).then(
      ({ answers }) => answers.length > 0,
      () => false,
    )
  const queue = [...messages]
  async function person(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [id, message] = next
      await until(async () => (await press(message)) && (await isStored(id)), Boolean, { everyMs: 100 })
      acknowledged++
    }
  }
  const people = Promise.all(Array.from({ length: AT_ONCE }, person))
  for (let kill = 1; kill <= KILLS; kill++) {
    const from = acknowledged
    const more = 1 + Math.floor((random() * PROBLEMS) / KILLS / 2)
    await until(() => acknowledged >= Math.min(PROBLEMS, from + more))
    await end(service.child)
    service = await startProcess(t, file)
  }
  await people

  await until(
    () => app.chat.messages.slice(0, PROBLEMS).filter(({ text }) => !/Silenced by ada/.test(text)).length,
    (left) => left === 0,
    { deadlineMs: 120_000 },
  )
  for (const id of ids) {
    const { acked_by, answers } = await admin<Detail>(service.url, `/api/admin/incidents/${id}`)
    assert.match(acked_by ?? '', /^ada\.l \(chatws U0PERSON\d+\)$/)
    assert.equal(answers.filter(({ result }) => result === 'done').length, 1, JSON.stringify(answers))
    assert.ok(answers.every(({ result }) => result === 'done' || result === 'already'))
  }
  const { silences } = await admin<{ silences: readonly unknown[] }>(service.url, '/api/admin/silences?limit=500')
  assert.equal(silences.length, PROBLEMS)
  const edited = app.calls('chat.update').filter(({ body }) => !/Silenced by ada/.test(body))
  assert.deepEqual(edited.length, 0, 'an edit shows what was not done')
})

/** As the stand-in numbers its messages. */
const tsOf = (nth: number) => `1700000000.${String(nth).padStart(6, '0')}`
