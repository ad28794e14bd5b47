import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AnswerPage } from '../../../src/api/answer.ts'
import type { ProblemDetail, ProblemPage } from '../../../src/api/noise/problem.ts'
import type { RunList, RunRecord } from '../../../src/api/oncall/run.ts'
import { field } from '../../../src/simulator/exchange.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, operate, post } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const PUBLIC = 'https://tocsin.example.test'
const RUNS = '/api/admin/oncall/runs'
const ADA = 'U0ADA00001'
const BEN = 'U0BEN00001'
const OFFICE = { steps: [{ notify: ['person:ada'] }, { after: '1h', notify: ['person:ben'] }], repeat: 1 }

/** Ada is asked in the chat, and by mail after an hour; then Ben. */
async function started(t: TestContext) {
  const chat = await startStandIn(t, 'chatws')
  const mail = await startStandIn(t, 'email')
  const { hostname, port } = new URL(mail.url)
  const smtp = { smtp_host: hostname, smtp_port: Number(port), tls: 'none', from: 't@example.com', to: 'a@example.com' }
  const people = {
    ada: { name: 'Ada Lovelace', ways: [{ chatws: ADA }, { email: 'ada@example.com', after: '1h' }] },
    ben: { name: 'Ben', ways: [{ chatws: BEN }] },
  }
  const config = (office: object, known: object = people) => ({
    public_host: PUBLIC,
    alert: {
      chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST },
      email: { enable: true, ...smtp },
    },
    people: known,
    oncall: { enable: true, escalation: 'office', escalations: { office } },
  })
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir, config(OFFICE)))
  const { url } = system
  const reload = (office: object, known?: object) => system.reloadFrom(configFile(dir, config(office, known)))
  const raise = (title: string, changes: object = {}) =>
    post(url, { title, severity: 'critical', fingerprint: title, ...changes })
  const pagesTo = (person: string) => chat.requests.filter(({ json }) => field(json, 'channel') === person)
  const asked = (person: string, text: string) =>
    chat.waitFor(({ json, body }) => field(json, 'channel') === person && body.includes(text))
  const runs = () => admin<RunList>(url, RUNS).then((list) => list.runs)
  const run = (is: (run: RunRecord) => boolean) => until(runs, ([first]) => first !== undefined && is(first))
  return { url, people, reload, raise, pagesTo, asked, runs, run }
}

const linkIn = ({ body }: { readonly body: string }) => /"url":"([^"]+\/api\/ack\/page\/[^"]+)"/.exec(body)?.[1] ?? ''

test('an incident asks Ada in the chat, her link acknowledges, and all records name her', async (t) => {
  const { url, raise, asked, pagesTo, run } = await started(t)
  await raise('ledger is down')
  const link = linkIn(await asked(ADA, 'ledger is down')).replace(PUBLIC, url)
  assert.match(await (await fetch(link)).text(), /Ada Lovelace, can you take this\?/)
  assert.equal((await run(({ pages }) => pages[0]?.state === 'sent'))[0]?.phase, 'asking')
  const pressed = await fetch(link, { method: 'POST', body: new URLSearchParams({ action: 'acknowledge' }) })
  assert.match(await pressed.text(), /Ada Lovelace has it/)
  const [taken] = await run(({ phase }) => phase === 'acknowledged')
  assert.equal(taken?.acked_by, 'Ada Lovelace')
  assert.deepEqual(
    taken?.pages.map(({ person, way, state }) => `${person} ${way} ${state}`),
    ['ada chatws sent', 'ada email skipped'],
  )
  const problem = await admin<ProblemDetail>(url, `/api/admin/problems/${taken?.problem}`)
  assert.deepEqual([problem.acked_by, problem.runs?.[0]?.acked_by], ['Ada Lovelace', 'Ada Lovelace'])
  const { answers } = await admin<AnswerPage>(url, '/api/admin/answers')
  assert.deepEqual(
    answers.map(({ action, via, person, actor, result }) => [action, via, person, actor, result]),
    [['acknowledge', 'link', 'ada', 'Ada Lovelace', 'done']],
  )
  assert.equal(pagesTo(BEN).length, 0)
})

test('an operator asks the next person at once, and the end of the problem ends the asking', async (t) => {
  const { url, raise, asked, run } = await started(t)
  await raise('ledger is down')
  await asked(ADA, 'ledger is down')
  const [{ problem } = { problem: 0 }] = await run(({ phase }) => phase === 'asking')
  const answer = await operate(`${url}/api/admin/problems/${problem}/escalate`, { by: 'Cleo' })
  assert.equal(answer.status, 200, await answer.text())
  await asked(BEN, 'ledger is down')
  await raise('ledger is down', { status: 'resolved' })
  const [over] = await run(({ phase }) => phase === 'ended')
  assert.deepEqual([over?.ended_by, over?.next_at], ['resolved', null])
  assert.equal((await operate(`${url}/api/admin/problems/${problem}/escalate`, { by: 'Cleo' })).status, 404)
})

test('twenty problems at once are one message a person, which acknowledges all that it counts', async (t) => {
  const { url, asked, pagesTo, runs, run } = await started(t)
  const storm = Array.from({ length: 20 }, (_, nth) => {
    const title = `service ${nth} is down`
    return { title, severity: 'critical', fingerprint: title, service: `service ${nth}` }
  })
  await post(url, storm)
  const link = linkIn(await asked(ADA, 'service')).replace(PUBLIC, url)
  await run(({ pages }) => pages[0]?.state === 'sent')
  assert.equal(pagesTo(ADA).length, 1)
  assert.equal(
    (await fetch(link, { method: 'POST', body: new URLSearchParams({ action: 'acknowledge' }) })).status,
    200,
  )
  assert.deepEqual(
    new Set((await runs()).map(({ phase, acked_by }) => `${phase} ${acked_by}`)),
    new Set(['acknowledged Ada Lovelace']),
  )
  const { problems } = await admin<ProblemPage>(url, '/api/admin/problems?limit=50')
  assert.equal(problems.filter(({ acked_by }) => acked_by === 'Ada Lovelace').length, 20)
})

test('a reload keeps the plan of a run, and does not ask a person who is not listed any more', async (t) => {
  const { url, people, reload, raise, asked, run, pagesTo } = await started(t)
  await raise('ledger is down')
  await asked(ADA, 'ledger is down')
  const [before] = await run(({ pages }) => pages[0]?.state === 'sent')
  await reload({ steps: [{ notify: ['person:ben'] }], repeat: 0, repeat_after: '30m' }, { ben: people.ben })
  const [after] = await run(() => true)
  assert.deepEqual([after?.next_at, after?.phase, after?.ended_by], [before?.next_at, 'asking', null])
  await operate(`${url}/api/admin/problems/${after?.problem}/escalate`, { by: 'Cleo' })
  await asked(BEN, 'ledger is down')
  // The rest of the plan is the second round, whose first step names a person who is gone: the second asks Ben again.
  await operate(`${url}/api/admin/problems/${after?.problem}/escalate`, { by: 'Cleo' })
  const [again] = await run(({ pages }) => pages.filter(({ person }) => person === 'ben').length === 2)
  assert.ok(
    again?.pages.some(
      ({ target, because, person }) => target === 'person:ada' && because === 'gone' && person === null,
    ),
  )
  assert.equal(pagesTo(ADA).length, 1)
})
