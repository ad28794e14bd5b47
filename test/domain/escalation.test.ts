import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { armed, type Escalation, type EscalationEvent, type Signal, step } from '../../src/domain/escalation.ts'

const DUE = 1_000

const verdict = fc.oneof(
  fc.constant({ state: 'sent' } as const),
  fc.record({ state: fc.constant('pending' as const), at: fc.integer({ min: 0, max: 5_000 }) }),
  fc.constant({ state: 'dead', reason: 'no' } as const),
  fc.constant({ state: 'released' } as const),
)
const event: fc.Arbitrary<EscalationEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'claimed' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settled' as const),
      verdict,
      attempted: fc.boolean(),
      mayDuplicate: fc.boolean(),
    }),
  },
  fc.constantFrom<EscalationEvent>({ kind: 'lost' }, { kind: 'acknowledged' }, { kind: 'resolved' }),
)
const events = fc.array(event, { maxLength: 25 })

/** Every state on the way, the event that led to it, and the signal that the provider took with it. */
function walk(happenings: readonly EscalationEvent[]) {
  let state = armed(DUE)
  return happenings.map((happening, at) => {
    const was = state
    const taken =
      happening.kind === 'settled' && happening.verdict.state === 'sent' && was.next?.state === 'in flight'
        ? was.next.signal
        : undefined
    const [is, effects] = step(was, happening, DUE + at)
    state = is
    return { was, happening, is, effects, taken }
  })
}
const always = (run: (path: ReturnType<typeof walk>) => void) =>
  fc.assert(
    fc.property(events, (happenings) => run(walk(happenings))),
    { seed: 5, numRuns: 2_000 },
  )

/** Lets the provider take every signal; returns them in order. */
function quiet(start: Escalation): { end: Escalation; taken: Signal[] } {
  const taken: Signal[] = []
  let state = start
  for (let turn = 0; state.next !== undefined; turn++) {
    assert.ok(turn < 10, 'it comes to an end')
    const { signal } = state.next
    ;[state] = step(state, { kind: 'claimed' }, DUE)
    ;[state] = step(state, { kind: 'settled', verdict: { state: 'sent' }, attempted: true, mayDuplicate: false }, DUE)
    taken.push(signal)
  }
  return { end: state, taken }
}

test('until the page was taken, died, or the incident was acknowledged, a page is due', () =>
  always((path) => {
    for (const { is } of path) {
      const waits = is.phase === 'armed' || is.phase === 'paging'
      if (waits) assert.equal(is.next?.signal, 'trigger')
    }
  }))

test('a page that the provider took is not made again', () =>
  always((path) => {
    const paged = path.findIndex(({ taken }) => taken === 'trigger')
    if (paged === -1) return
    for (const { is } of path.slice(paged)) assert.notEqual(is.next?.signal, 'trigger')
  }))

test('an acknowledgement or a resolution before the claim stops the page, and the provider gets nothing', () =>
  always((path) => {
    for (const { was, happening, is } of path)
      if ((happening.kind === 'acknowledged' || happening.kind === 'resolved') && was.phase === 'armed')
        assert.deepEqual([is.next, is.providerKnows], [undefined, 'no'])
  }))

test('a signal in flight is not claimed again before its outcome is known', () =>
  always((path) => {
    for (const { was, happening, is } of path)
      if (was.next?.state === 'in flight' && happening.kind !== 'settled' && happening.kind !== 'lost')
        assert.equal(is.next, was.next)
  }))

test('a provider that may have been paged gets the acknowledgement and the resolution, and nothing else', () =>
  always((path) => {
    const last = path.at(-1)?.is
    if (last === undefined) return
    const { end, taken } = quiet(last)
    if (end.phase !== 'acknowledged' && end.phase !== 'resolved') return
    const wanted = end.phase === 'resolved' ? 'resolve' : 'acknowledge'
    for (const signal of taken.slice(1)) assert.equal(signal, wanted)
    if (taken[0] === 'trigger') assert.equal(taken.length, 2)
  }))

test('every change of phase is announced once, and every failure has its notice', () =>
  always((path) => {
    for (const { was, is, effects } of path) {
      const announced = effects.flatMap((effect) => (effect.kind === 'announce' ? [effect.action] : []))
      if (is.phase !== was.phase && is.phase !== 'paging') assert.deepEqual(announced, [is.phase])
      else if (announced.length > 0) assert.ok(['failed', 'paged'].includes(announced.join()))
      assert.equal(
        effects.some(({ kind }) => kind === 'notice'),
        announced.includes('failed'),
      )
    }
  }))

test('switched off before its time an incident does not page; a paged one stays paged', () => {
  const [off, effects] = step(armed(DUE), { kind: 'switched off' }, DUE)
  assert.deepEqual(
    [off, effects],
    [{ phase: 'cancelled', providerKnows: 'no' }, [{ kind: 'announce', action: 'cancelled' }]],
  )
  const paged: Escalation = { phase: 'paged', providerKnows: 'yes' }
  assert.deepEqual(step(paged, { kind: 'switched off' }, DUE), [paged, []])
})

test('an attempt is counted, a release is not', () => {
  const [inFlight] = step(armed(DUE), { kind: 'claimed' }, DUE)
  const again = { state: 'pending', at: DUE + 500 } as const
  const [tried] = step(inFlight, { kind: 'settled', verdict: again, attempted: true, mayDuplicate: false }, DUE)
  assert.deepEqual(tried.next, { signal: 'trigger', at: DUE + 500, attempts: 1, state: 'waiting' })
  const [back] = step(
    inFlight,
    { kind: 'settled', verdict: { state: 'released' }, attempted: false, mayDuplicate: false },
    1,
  )
  assert.deepEqual(back.next, { signal: 'trigger', at: DUE, attempts: 0, state: 'waiting' })
})
