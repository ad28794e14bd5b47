import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pageStep } from '../../src/domain/escalation.ts'
import { type Page, type PageChange, type PageEvent, type Signal, STANDS_MS } from '../../src/domain/page.ts'

const NEW: Page = { problem: 1, target: '', providerKnows: 'no' }
const DUE = 1_000

const verdict = fc.oneof(
  fc.constant({ state: 'sent' } as const),
  fc.record({ state: fc.constant('pending' as const), at: fc.integer({ min: 0, max: 5_000 }) }),
  fc.constant({ state: 'dead', reason: 'no' } as const),
  fc.constant({ state: 'released' } as const),
)
/** Without the incident, which a walk numbers. */
const timer = fc.record({
  incident: fc.constant(0),
  dueAt: fc.integer({ min: 0, max: 2_000 }),
  waitMs: fc.constant(60),
  level: fc.integer({ min: 0, max: 4 }),
  members: fc.option(fc.subarray(['a', 'b', 'c'])),
})
const event: fc.Arbitrary<PageEvent> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('armed' as const), timer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('held' as const), timer }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'claimed', provider: 'webhook' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('settled' as const),
      verdict,
      attempted: fc.boolean(),
      mayDuplicate: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<PageEvent>(
      { kind: 'lost' },
      { kind: 'acknowledged' },
      { kind: 'resolved' },
      { kind: 'flapped' },
      { kind: 'silenced' },
      { kind: 'released', dueAt: 1_500 },
      { kind: 'switched off', isMute: false },
    ),
  },
)

interface Walked {
  readonly was: Page
  readonly event: PageEvent
  readonly is: Page
  readonly changes: readonly PageChange[]
  readonly now: number
  /** The signal that the provider took. */
  readonly taken: Signal | undefined
}

const isInFlight = ({ next }: Page) => next?.state === 'in flight'

/** What can happen to a stored page: only what is due is claimed, and an incident that a silence fits joins a timer that runs. */
function canHappen({ timer, next }: Page, { kind }: PageEvent, now: number): boolean {
  if (kind === 'claimed') return next?.state === 'waiting' && next.at <= now
  if (kind === 'held') return timer?.state !== 'armed'
  return true
}

function walk(events: readonly PageEvent[]): Walked[] {
  let page = NEW
  return events.flatMap((each, at) => {
    const now = at * 100
    if (!canHappen(page, each, now)) return []
    const event = 'timer' in each ? { ...each, timer: { ...each.timer, incident: at + 1 } } : each
    const was = page
    const taken =
      event.kind === 'settled' && event.verdict.state === 'sent' && isInFlight(was) ? was.next?.signal : undefined
    const [is = NEW, changes] = pageStep(was, event, now)
    page = is
    return [{ was, event, is, changes, now, taken }]
  })
}

const always = (run: (path: readonly Walked[]) => void) =>
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40, size: 'max' }), (events) => run(walk(events))),
    { seed: 5, numRuns: 1_000 },
  )

/** Lets the provider take every signal; returns them in order. */
function quiet(start: Page): { end: Page; taken: Signal[] } {
  const taken: Signal[] = []
  let page = start
  for (let turn = 0; page.next !== undefined; turn++) {
    assert.ok(turn < 10, 'it comes to an end')
    const now = Math.max(10_000, page.next.at)
    taken.push(page.next.signal)
    if (!isInFlight(page)) page = pageStep(page, { kind: 'claimed', provider: 'webhook' }, now)[0] ?? NEW
    const sent = { kind: 'settled', verdict: { state: 'sent' }, attempted: true, mayDuplicate: false } as const
    page = pageStep(page, sent, now)[0] ?? NEW
  }
  return { end: page, taken }
}

test('a timer that runs has a signal due no later than it, unless another signal is under way before it', () =>
  always((path) => {
    for (const { is, now } of path) {
      if (is.timer?.state !== 'armed') continue
      assert(is.next !== undefined)
      if (!isInFlight(is) && is.next.at > is.timer.dueAt) assert(is.next.attempts === 0 && is.next.at <= now)
    }
  }))

test('a page that is due is made until the provider takes it, refuses it for good, or somebody ends it', () =>
  always((path) => {
    for (const { is } of path) if (is.stand?.phase === 'paging') assert.equal(is.next?.signal, 'trigger')
  }))

test('what an incident shows follows the page', () =>
  always((path) => {
    const shown = new Map<number, string>()
    for (const { is, changes } of path) {
      for (const { incident, phase } of changes) if (phase !== undefined) shown.set(incident, phase)
      if (is.timer) assert.equal(shown.get(is.timer.incident), is.timer.state)
      // A signal in flight keeps its incident, also when the problem fires again and a person takes that.
      const of = is.stand && shown.get(is.stand.incident)
      if (is.stand && of !== 'resolved') assert.equal(of, is.stand.phase)
      const waits = [is.timer?.incident, is.stand?.phase === 'paging' ? is.stand.incident : undefined]
      for (const [incident, phase] of shown)
        assert.equal(['armed', 'held', 'paging'].includes(phase), waits.includes(incident), `${incident} is ${phase}`)
    }
  }))

test('a page tells of all that its timer was for, and of no more than it was told of', () =>
  always((path) => {
    for (const { was, is, event } of path) {
      if (event.kind !== 'claimed' || was.timer?.state !== 'armed' || is.timer !== undefined) continue
      assert(is.stand !== undefined && is.stand.level <= was.timer.level)
      for (const member of was.timer.members ?? []) assert(is.stand.members?.includes(member))
      assert.equal(is.stand.until, was.timer.dueAt + STANDS_MS)
    }
  }))

test('a provider that knows of a problem gets its end, and then nothing is left', () =>
  always((path) => {
    const last = path.at(-1)
    if (last === undefined) return
    const [over = NEW] = pageStep(last.is, { kind: 'resolved' }, 10_000)
    const { end, taken } = quiet(over)
    assert.equal(end, NEW)
    const knew = last.is.providerKnows !== 'no' || isInFlight(last.is)
    if (knew) assert(taken.at(-1) === 'resolve' || last.is.stand === undefined)
    assert(taken.filter((signal) => signal === 'trigger').length <= (isInFlight(last.is) ? 1 : 0))
  }))

test('an acknowledgement and a resolution before the claim stop the page, and the provider gets nothing', () =>
  always((path) => {
    for (const { was, event, is } of path) {
      if (event.kind !== 'acknowledged' && event.kind !== 'resolved') continue
      assert.equal(is.timer, undefined)
      if (was.providerKnows === 'no' && !isInFlight(was)) assert.equal(is.next, undefined)
    }
  }))

test('a signal in flight is not claimed again before its outcome is known, and is about the same incident', () =>
  always((path) => {
    for (const { was, event, is } of path)
      if (isInFlight(was) && event.kind !== 'settled' && event.kind !== 'lost' && event.kind !== 'switched off')
        assert.deepEqual([is.next, is.stand?.incident], [was.next, was.stand?.incident])
  }))

test('while a problem flaps, its end leaves what the provider or a person knows of', () =>
  always((path) => {
    for (const { was, event, is } of path) {
      if (event.kind !== 'flapped') continue
      assert.equal(is.timer, undefined)
      const { stand, providerKnows } = was
      if (stand && (providerKnows !== 'no' || isInFlight(was) || stand.phase === 'acknowledged'))
        assert.deepEqual(is.stand, stand.phase === 'resolved' && providerKnows === 'no' ? is.stand : stand)
    }
  }))

test('every change of phase is announced once, and every failure has its notice', () =>
  always((path) => {
    for (const { changes } of path)
      for (const { phase, effects } of changes) {
        const announced = effects.flatMap((effect) => (effect.kind === 'announce' ? [effect.action] : []))
        if (phase === 'joined' || phase === 'paging') assert.deepEqual(announced, [])
        else if (phase !== undefined) assert.deepEqual(announced, [phase])
        else assert(['failed', 'paged'].includes(announced.join()))
        assert.equal(
          effects.some(({ kind }) => kind === 'notice'),
          announced.includes('failed'),
        )
      }
  }))

const later = { incident: 2, dueAt: DUE + 500, waitMs: 60, level: 1, members: null }
const first = { incident: 1, dueAt: DUE, waitMs: 60, level: 3, members: null }
const step = (page: Page, event: PageEvent, now = DUE) => pageStep(page, event, now)[0] ?? NEW
const SENT = { kind: 'settled', verdict: { state: 'sent' }, attempted: true, mayDuplicate: false } as const
const CLAIMED = { kind: 'claimed', provider: 'webhook' } as const

test('a timer that takes another incident keeps the earlier time, and tells of both', () => {
  const { timer, next } = step(step(NEW, { kind: 'armed', timer: first }), { kind: 'armed', timer: later })
  assert.deepEqual([timer?.incident, timer?.dueAt, timer?.level, next?.at], [2, DUE, 1, DUE])
})

test('a louder incident beside a page has a timer of its own, and the acknowledgement takes both', () => {
  const paged = step(step(step(NEW, { kind: 'armed', timer: first }), CLAIMED), SENT)
  const both = step(paged, { kind: 'armed', timer: later })
  assert.deepEqual([both.stand?.phase, both.timer?.incident, both.next?.at], ['paged', 2, DUE + 500])
  const [taken, changes] = pageStep(both, { kind: 'acknowledged' }, DUE)
  assert.deepEqual([taken?.stand?.level, taken?.next?.signal], [1, 'acknowledge'])
  assert.deepEqual(
    changes.map(({ incident }) => incident),
    [1, 2],
  )
})

test('the end of a problem reaches the provider before the page of the next time that it fires', () => {
  const paged = step(step(step(NEW, { kind: 'armed', timer: first }), CLAIMED), SENT)
  const again = step(step(paged, { kind: 'resolved' }), { kind: 'armed', timer: { ...later, dueAt: DUE } })
  const { end, taken } = quiet(again)
  assert.deepEqual([taken, end.stand?.incident], [['resolve', 'trigger'], 2])
  // A provider that does not take the end does not hold up the page.
  const failing = { ...SENT, verdict: { state: 'pending', at: DUE + 9_000 } } as const
  const late = step(step(again, CLAIMED), failing)
  assert.deepEqual([late.next?.signal, late.next?.at], ['trigger', DUE])
})

test('switched off before its time an incident does not page; what was paged stays', () => {
  const off = { kind: 'switched off', isMute: true } as const
  const [none, changes] = pageStep(step(NEW, { kind: 'armed', timer: first }), off, DUE)
  const cancelled = { incident: 1, phase: 'cancelled', effects: [{ kind: 'announce', action: 'cancelled' }] }
  assert.deepEqual([none, changes], [undefined, [cancelled]])
  const paged = step(step(step(NEW, { kind: 'armed', timer: first }), CLAIMED), SENT)
  assert.equal(step(paged, off).stand?.phase, 'paged')
  const over = step(step(paged, { kind: 'acknowledged' }), { kind: 'resolved' })
  assert.equal(step(over, off).next?.signal, 'resolve', 'its end is sent when on-call is on again')
  const acknowledged = step(paged, { kind: 'acknowledged' })
  assert.equal(step(acknowledged, off).next, undefined)
})

test('an attempt is counted, a release is not', () => {
  const inFlight = step(step(NEW, { kind: 'armed', timer: first }), CLAIMED)
  const again = { ...SENT, verdict: { state: 'pending', at: DUE + 500 } } as const
  assert.deepEqual(step(inFlight, again).next, { signal: 'trigger', at: DUE + 500, attempts: 1, state: 'waiting' })
  const back = step(inFlight, { ...SENT, verdict: { state: 'released' }, attempted: false })
  assert.deepEqual(back.next, { signal: 'trigger', at: DUE, attempts: 0, state: 'waiting' })
})
