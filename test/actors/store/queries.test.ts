import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { answerQuery, type QueryContext } from '../../../actors/store/queries.ts'
import { PAUSE_MS } from '../../../actors/store/storage.ts'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { Attempt } from '../../../src/domain/delivery/delivery.ts'
import { keyOf } from '../../../src/domain/delivery/dispatch.ts'
import type { TailEvent } from '../../../src/domain/event.ts'
import type { StorageSnapshot } from '../../../src/telemetry/snapshot.ts'
import { withCode } from '../../store/support.ts'
import { StorageRig } from './storage-rig.ts'

/** Time for which reads wait. */
const READ_MS = 250

const idOf = (number: number) => `01930000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

test('lists and the state say how many incidents wait, and wait a moment for them', async (t) => {
  const { storage, ask } = given(t)
  storage.commit(2)
  storage.clock.advance(3_600_000)
  assert.equal((ask({ kind: 'state' }) as StorageSnapshot).applyLagMs, 0)
  storage.disk = 'full'
  storage.commit(30)
  storage.clock.advance(7_000)
  storage.commit(1)
  const asked = ask({ kind: 'incidents', filter: { limit: 9 } })
  storage.clock.advance(READ_MS)
  const page = (await asked) as IncidentPage
  assert.deepEqual([page.incidents.length, page.total, page.unapplied], [2, 2, 31])
  const { incidents, unappliedIncidents, applyLagMs } = ask({ kind: 'state' }) as StorageSnapshot
  assert.deepEqual([incidents, unappliedIncidents, applyLagMs], [33, 31, 7_000 + READ_MS + PAUSE_MS])
  storage.disk = 'good'
  storage.clock.advance(1_000)
  const after = ask({ kind: 'state' }) as StorageSnapshot
  assert.deepEqual([after.incidents, after.unappliedIncidents, after.applyLagMs], [33, 0, 0])
})

test('an incident that is not applied is not found here; once it is, its record says so', async (t) => {
  const { storage, ask } = given(t)
  storage.append()
  const early = ask({ kind: 'incident', id: idOf(1) })
  storage.clock.advance(READ_MS)
  assert.equal(await early, undefined)
  storage.tell({ kind: 'appended' })
  assert.equal(((await ask({ kind: 'incident', id: idOf(1) })) as IncidentDetail).applied, true)
})

test('commands wait until their incident is applied', async (t) => {
  const { storage, ask } = given(t)
  storage.append(3)
  const answers = Promise.all([
    ask({ kind: 'acknowledge', id: idOf(3), by: 'Ada' }),
    ask({ kind: 'resolve', id: idOf(2), by: 'Ada' }),
    ask({ kind: 'resend', id: idOf(1) }),
  ])
  storage.tell({ kind: 'appended' })
  const [acknowledged, resolved, resent] = await answers
  assert.equal((acknowledged as { incident: { acked_by: string } }).incident.acked_by, 'Ada')
  assert.deepEqual([resolved, resent], [true, true])
})

test('a command whose incident is not applied in time is refused, and never done', async (t) => {
  const { storage, ask } = given(t)
  storage.disk = 'full'
  storage.append()
  const answer = ask({ kind: 'acknowledge', id: idOf(1), by: 'Ada' }) as Promise<unknown>
  storage.clock.advance(5_000)
  await assert.rejects(answer, withCode('ask_timeout'))
  storage.disk = 'good'
  storage.tell({ kind: 'appended' })
  storage.clock.advance(1_000)
  assert.equal(((await ask({ kind: 'incident', id: idOf(1) })) as IncidentDetail).acked_by, null)
})

test('commands for ids that name no committed incident are answered at once', async (t) => {
  const { storage, ask } = given(t)
  storage.append()
  assert.deepEqual(await ask({ kind: 'acknowledge', id: idOf(2), by: 'Ada' }), { kind: 'unknown' })
  assert.equal(await ask({ kind: 'resolve', id: 'no id', by: 'Ada' }), false)
  assert.equal(await ask({ kind: 'resend', id: '0193f2c1-90ab-7cde-8f01-ffffffffffff' }), false)
})

test('a change that makes deliveries due publishes the backlog', (t) => {
  const { storage, ask } = given(t)
  storage.commit()
  const [message] = storage.senders.get('chatws')?.take(1).messages ?? []
  assert.ok(message)
  const settlement = { ...keyOf(message.dispatch), verdict: { state: 'dead', reason: 'no' } } as const
  storage.tell({ kind: 'settle', settlement })
  assert.equal(storage.progress.backlog, 0)
  assert.equal(ask({ kind: 'replay', filter: { state: 'dead' } }), 1)
  assert.equal(storage.progress.backlog, 1)
})

test('a replay leaves room for what incidents become that are committed and not applied', (t) => {
  const { storage, ask } = given(t, { maxBacklog: 12, dispatchesPerIncident: 2 })
  storage.commit(10)
  for (const { dispatch } of storage.senders.get('chatws')?.take(10).messages ?? [])
    storage.tell({
      kind: 'settle',
      settlement: { ...keyOf(dispatch), verdict: { state: 'dead', reason: 'no' } } as const,
    })
  storage.append(4)
  assert.equal(ask({ kind: 'replay', filter: { state: 'dead' } }), 2)
})

test('the tail hears of each act of a person once, with or without a press', async (t) => {
  const events: TailEvent[] = []
  const publisher = { hasSubscribers: true, publish: (event: TailEvent) => void events.push(event) }
  const { storage, ask } = given(t, { publisher })
  storage.commit(2)
  storage.clock.advance(1_000)
  await ask({ kind: 'acknowledge', id: idOf(1), by: 'Ada', link: true })
  await ask({ kind: 'acknowledge', id: idOf(1), by: 'Bob' })
  await ask({ kind: 'pause', channel: 'chatws' })
  await ask({ kind: 'resume', channel: 'chatws' })
  const press = { key: 'k', via: 'chatws', actor: 'Cid', actorId: 'U1', place: 'C1', quietForMs: 1, maxMs: 1 } as const
  const answer = { action: 'resolve', subject: { kind: 'incident', id: idOf(2) }, ...press } as const
  for (let times = 0; times < 2; times++) await ask({ kind: 'answer', answer })
  assert.deepEqual(
    events.flatMap((each) => (each.kind === 'answer' ? [[each.by, each.via, each.action, each.result]] : [])),
    [
      ['Ada', 'link', 'acknowledge', 'done'],
      ['Bob', 'admin', 'acknowledge', 'already'],
      ['Cid', 'chatws', 'resolve', 'done'],
    ],
  )
})

function given(
  t: TestContext,
  { maxBacklog = 1_000, dispatchesPerIncident = 1, publisher = { hasSubscribers: false } } = {},
) {
  const storage = new StorageRig(t, { maxBacklog })
  storage.clock.advance(PAUSE_MS)
  const context = {
    store: storage.store,
    published: storage.applyProgress,
    publisher,
    now: () => storage.clock.now(),
    dispatchesPerIncident,
    wakeStorage() {},
    onSearch() {},
  } as unknown as QueryContext
  const ask = (query: Parameters<typeof answerQuery>[0]) => answerQuery(query, context)
  return { storage, ask }
}

test('a digest is announced when it opens, with each told revision, and when its storm is over', (t) => {
  const changes = { storms: { chatws: STORM } }
  const [watched, unwatched] = [new StorageRig(t, changes), new StorageRig(t, changes)]
  watched.subscribed = true
  for (const storage of [watched, unwatched]) {
    storage.commit(30)
    for (let second = 0; second < 300; second++) {
      storage.clock.advance(1_000)
      for (const { dispatch } of storage.senders.get('chatws')?.take(64).messages ?? [])
        storage.tell({
          kind: 'settle',
          settlement: { ...dispatch, verdict: { state: 'sent' }, attempt: SENT },
        })
    }
  }
  const digests = watched.published.flatMap((event) => (event.kind === 'digest' ? [event] : []))
  const [opened, told, ...later] = digests
  assert.deepEqual([opened?.action, opened?.update, opened?.notified], ['opened', null, 0])
  assert.deepEqual([told?.action, told?.update, told?.way], ['updated', 1, 'post'])
  assert.ok(told && told.incidents > 0 && told.notified === told.incidents, JSON.stringify(told))
  assert.equal(later.at(-1)?.action, 'over')
  assert.deepEqual(unwatched.published, [])
})

const STORM = {
  enable: true,
  rate: { perSecond: 1, burst: 4 },
  reading: { perSecond: 1, burst: 4 },
  withinMs: 60_000,
  edits: true,
}

const SENT: Attempt = {
  number: 1,
  startedAt: 1,
  durationMs: 5,
  outcome: 'sent',
  detail: '',
  mayDuplicate: false,
  dispatchedAt: 1,
  renderMs: 0,
  limiterWaitMs: 0,
}
