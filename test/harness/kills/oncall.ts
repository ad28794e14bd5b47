import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { RunList } from '../../../src/api/oncall/run.ts'
import type { OncallOverrideList, OncallShiftList } from '../../../src/api/oncall/schedules.ts'
import { field, type Received } from '../../../src/simulator/exchange.ts'
import { FAST } from '../config-file.ts'
import { reportAll } from '../gateway-program.ts'
import { admin, operate, post } from '../net/requests.ts'
import { startStandIn } from '../providers.ts'
import { until } from '../until.ts'
import type { CommitPoint } from './trap.ts'

/** Acts upon one problem, in this order. */
type Act = 'override' | 'incident' | 'call fails' | 'decline' | 'answer'

/** Where the service is killed: in the transaction that an act leads to, or while the chat holds its answer. */
interface KillPoint {
  readonly act: Act
  /** Absent: the provider has the message to Cleo and does not answer. */
  readonly commit?: CommitPoint
  /** The override begins a second later, when nobody asks the service. */
  readonly isLater?: true
  /** Ben answers the call, and opens no link. */
  readonly byCall?: true
  /** The message that may arrive a second time, marked. */
  readonly mayRepeat?: 'first call' | 'chat'
}

const STEP = 'INSERT INTO oncall_pages'
const CLAIM = 'UPDATE oncall_pages SET state = 1, message'
const SETTLE = 'detail = coalesce('
const MOVE = 'UPDATE oncall_runs SET plan'

const before = (statement: string): { readonly commit: CommitPoint } => ({ commit: { statement, side: 'before' } })
const after = (statement: string): { readonly commit: CommitPoint } => ({ commit: { statement, side: 'after' } })

export const KILL_POINTS: { readonly [name: string]: KillPoint } = {
  'an override is made and not answered': { act: 'override', ...after('INSERT INTO oncall_overrides') },
  'a handover is not written': { act: 'override', isLater: true, ...before('INSERT INTO oncall_shifts') },
  'a step is not written': { act: 'incident', ...before(STEP) },
  'a step is written': { act: 'incident', ...after(STEP) },
  'a call is not settled': { act: 'incident', mayRepeat: 'first call', ...before(SETTLE) },
  'a call is settled': { act: 'incident', ...after(SETTLE) },
  'a callback is not written': { act: 'call fails', ...before(SETTLE) },
  'a callback is written and not answered': { act: 'answer', byCall: true, ...after(MOVE) },
  'a message is claimed and not sent': { act: 'call fails', ...after(CLAIM) },
  'a message is sent and not answered': { act: 'call fails', mayRepeat: 'chat' },
  'a step is written and not claimed': { act: 'decline', ...after(STEP) },
  'an acknowledgement is not written': { act: 'answer', ...before(MOVE) },
  'an acknowledgement is written and not answered': { act: 'answer', ...after(MOVE) },
}

const names = Object.keys(KILL_POINTS)
const SECRET = 'secret-of-the-gateway'
const PATH = '/api/admin/oncall'
const addressOf = (person: string, nth: number) => `U0${person.toUpperCase()}${nth}`
const forEach = (of: (nth: number) => readonly (readonly [string, object])[]) =>
  Object.fromEntries(names.flatMap((_, nth) => of(nth)))

/** Starts the providers. `config`: people, a schedule and an escalation for each point, so that no way rests. */
export async function oncallProviders(t: TestContext) {
  const chat = await startStandIn(t, 'chatws')
  const calls = await startStandIn(t, 'gateway')
  const call = (person: string, nth: number) => ({ gateway: 'phone', to: addressOf(person, nth) })
  const layers = (nth: number) => [{ start: '2026-01-05', every: '1 week', members: [`ada-${nth}`] }]
  const config = {
    public_host: 'http://127.0.0.1',
    noise: { storm: { enable: false } },
    log: { level: 'info' },
    alert: { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C0ALERTS', api_url: chat.url, ...FAST } },
    people: forEach((nth) => [
      [`ada-${nth}`, { ways: [{ chatws: addressOf('ada', nth) }] }],
      [`ben-${nth}`, { ways: [call('ben', nth)] }],
      [`cleo-${nth}`, { ways: [call('cleo', nth), { chatws: addressOf('cleo', nth), after: '1h' }] }],
    ]),
    oncall: {
      ...{ enable: true, escalation: 'office-0' },
      gateways: { phone: { url: `${calls.url}/tocsin`, secret: SECRET, pace: '1s' } },
      schedules: forEach((nth) => [[`primary-${nth}`, { layers: layers(nth) }]]),
      escalations: forEach((nth) => [
        [
          `office-${nth}`,
          {
            steps: [{ notify: [`schedule:primary-${nth}`] }, { after: '1h', notify: [`person:ben-${nth}`] }],
            repeat: 0,
          },
        ],
      ]),
    },
    routes: names.map((_, nth) => ({
      name: `point-${nth}`,
      match: { service: `service-${nth}` },
      oncall: { escalation: `office-${nth}` },
    })),
  }
  return { chat, calls, config }
}

interface Victim {
  /** An address that takes requests, also while the victim is down. */
  url(): string
  set(point: CommitPoint): void
  kill(): void
  /** Resolves when the process was killed and another one leads. */
  readonly replaced: Promise<unknown>
}

/** Plays one problem to its end, and fails unless all that was answered is kept and each message arrived. */
export async function playOncall(
  point: string,
  victim: Victim,
  { chat, calls }: Pick<Awaited<ReturnType<typeof oncallProviders>>, 'chat' | 'calls'>,
): Promise<void> {
  const nth = names.indexOf(point)
  const { act: killed, commit, isLater, byCall, mayRepeat } = KILL_POINTS[point] ?? assert.fail()
  const title = `disk of ${point}`
  const overrides = `${PATH}/overrides`

  /** Done again until it is answered: the service may die before its commit, or after it. */
  async function act(name: Act, request: () => Promise<number>): Promise<void> {
    if (name === killed && commit !== undefined) victim.set(commit)
    // A press that was committed and not answered is done already.
    const status = await until(
      () => request().catch(() => 500),
      (answered) => answered < 500,
    )
    assert.ok(status < 300 || status === 409, `${name}: ${status}`)
    if (name === killed) await victim.replaced
  }
  const statusOf = ({ status }: Response) => status
  const here = (link: string) => link.replace('http://127.0.0.1', victim.url())
  const press = (link: string, action: string) =>
    fetch(here(link), { method: 'POST', body: new URLSearchParams({ action }) }).then(statusOf)
  const report = (page: Received, state: string) => {
    const json = { ...(page.json as object), callback_url: here(field(page.json, 'callback_url')) }
    return reportAll({ ...page, json }, { secret: SECRET, reports: [state] }).then(([status = 0]) => status)
  }
  const called =
    (person: string, kind = 'page') =>
    (request: Received) =>
      field(request.json, 'to') === addressOf(person, nth) &&
      field(request.json, 'kind') === kind &&
      request.body.includes(title)
  const written = (text: string) => (request: Received) =>
    field(request.json, 'channel') === addressOf('cleo', nth) && request.body.includes(text)
  const run = async () => {
    const { runs } = await admin<RunList>(victim.url(), `${PATH}/runs`).catch((): RunList => ({ runs: [], open: 0 }))
    return runs.find((each) => each.title === title)
  }
  /** Resolves when the record of the last page is written, so that no later kill repeats it. */
  const isAsked = (person: string, way: string) =>
    until(async () => {
      const page = (await run())?.pages.find((each) => each.person === `${person}-${nth}` && each.way === way)
      return page?.state === 'sent'
    })

  const from = new Date(Date.now() + (isLater ? 1_000 : 0)).toISOString()
  const wanted = {
    ...{ schedule: `primary-${nth}`, person: `cleo-${nth}`, by: 'Ada', reason: title },
    ...{ from, until: new Date(Date.now() + 3_600_000).toISOString() },
  }
  const isMade = async () => (await made()).length > 0
  const made = async () =>
    (await admin<OncallOverrideList>(victim.url(), overrides)).overrides.filter(({ reason }) => reason === title)
  await act('override', async () => ((await isMade()) ? 200 : operate(victim.url() + overrides, wanted).then(statusOf)))

  const payload = { title, severity: 'critical', fingerprint: title, service: `service-${nth}` }
  if (killed === 'call fails' && commit === undefined)
    chat.script = (request) => {
      if (!written(title)(request) || field(request.json, 'channel') === '') return undefined
      chat.script = undefined
      victim.kill()
      return { hang: true }
    }
  await act('incident', () => post(victim.url(), payload, { 'Idempotency-Key': `point-${nth}` }).then(statusOf))
  const first = await calls.waitFor(called('cleo'))
  await isAsked('cleo', 'phone')
  await act('call fails', () => report(first, 'failed'))
  const { body } = await chat.waitFor(written(`/api/ack/page/`))
  await isAsked('cleo', 'chatws')
  await act('decline', () => press(/"url":"([^"]+\/api\/ack\/page\/[^"]+)"/.exec(body)?.[1] ?? '', 'decline'))
  const second = await calls.waitFor(called('ben'))
  await isAsked('ben', 'phone')
  await act('answer', () =>
    byCall ? report(second, 'acknowledged') : press(field(second.json, 'ack_url'), 'acknowledge'),
  )
  const line = `ben-${nth} has it`
  await chat.waitFor(written(line))
  await calls.waitFor(called('cleo', 'stand_down'))

  const { phase, acked_by, pages = [] } = (await run()) ?? {}
  assert.deepEqual([phase, acked_by], ['acknowledged', `ben-${nth}`])
  assert.deepEqual(
    pages.map(({ person, way, state }) => [person, way, state]),
    [
      [`cleo-${nth}`, 'phone', 'dead'],
      [`cleo-${nth}`, 'chatws', 'sent'],
      [`ben-${nth}`, 'phone', 'sent'],
    ],
  )
  assert.equal((await made()).length, 1)
  const { shifts } = await admin<OncallShiftList>(victim.url(), `${PATH}/schedules/primary-${nth}/shifts?from=${from}`)
  const covered = shifts.filter(({ person }) => person === `cleo-${nth}`)
  assert.deepEqual([covered.length, covered[0]?.until], [1, wanted.until])
  if (isLater) assert.equal(covered[0]?.from, from)
  assert.ok(shifts.every(({ until: end }, at) => at === shifts.length - 1 || end === shifts[at + 1]?.from))

  const isMarked = ({ json, body: text }: Received) => /repeated/.test(text) || field(json, 'may_duplicate') === 'true'
  for (const [name, requests] of [
    ['first call', calls.requests.filter(called('cleo'))],
    ['chat', chat.requests.filter(written('/api/ack/page/'))],
    ['second call', calls.requests.filter(called('ben'))],
    ['line', chat.requests.filter(written(line))],
    ['stand down', calls.requests.filter(called('cleo', 'stand_down'))],
  ] as const) {
    assert.ok(requests.length === 1 || (name === mayRepeat && requests.length === 2), `${name}: ${requests.length}`)
    assert.ok(requests.filter((request) => !isMarked(request)).length <= 1, `${name}: an unmarked second copy`)
  }
}
