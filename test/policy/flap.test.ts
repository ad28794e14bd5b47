import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Flap, type Problem, type ProblemAlert, withAlert } from '../../src/policy/problem.ts'
import { flapOverAt, flapWith, MAX_FLAP_MS } from '../../src/policy/repeat.ts'

const MINUTE = 60_000
const START = 1_800_000_000_000

const alert = (status: 'firing' | 'resolved', committedAt: number, more: Partial<ProblemAlert> = {}): ProblemAlert => ({
  id: `${committedAt}`,
  fingerprint: 'f',
  title: 'Disk full',
  service: 'db',
  severity: 'warning',
  sender: 'error_tracker',
  source: 'webhook',
  incident: 1,
  status,
  committedAt,
  ...more,
})

interface Followed {
  readonly problem: Problem
  /** After how many changes it began to flap; 0: it did not. */
  readonly began: number
  readonly flap: Flap | undefined
}

/** Returns the problem that fires and then changes its state so often. */
function changed(changes: number, everyMs: number, more: Partial<ProblemAlert> = {}): Followed {
  let problem = withAlert(undefined, alert('firing', START, more))
  let flap: Flap | undefined
  let began = 0
  for (let n = 1; n <= changes; n++) {
    const next = alert(n % 2 === 1 ? 'resolved' : 'firing', START + n * everyMs, more)
    flap = flapWith(flap, problem, next)?.flap
    problem = withAlert(problem, next)
    if (began === 0 && flap !== undefined) began = n
  }
  return { problem, began, flap }
}

test('five quick changes begin it, as does one every ten minutes for a while; one every half hour never does', () => {
  assert.equal(changed(9, 10_000).began, 5)
  assert.equal(changed(5, 10_000).flap?.since, START + 50_000)
  const slow = changed(60, 10 * MINUTE).began
  assert(slow > 5, `${slow}`)
  assert.equal(changed(60, 30 * MINUTE).began, 0)
})

test('it is over after 30 to 60 minutes without a change', () => {
  const { problem, flap } = changed(5, 1_000)
  const quiet = flapOverAt(problem) - problem.flapAt
  assert(quiet > 30 * MINUTE && quiet < 60 * MINUTE, `${quiet}`)
  assert.equal(flap?.overAt, flapOverAt(problem))
  const { problem: loud } = changed(40, 1)
  assert.equal(Math.round((flapOverAt(loud) - loud.flapAt) / MINUTE), MAX_FLAP_MS / MINUTE)
})

test('a repeat, a second resolution and a late firing change no state', () => {
  for (const state of ['firing', 'resolved'] as const) {
    const { problem, flap } = changed(state === 'firing' ? 8 : 9, 1_000)
    const [at, sender] = [START + 20 * MINUTE, { senderEndedAt: START } as const]
    const same = flapWith(flap, problem, alert(state, at))
    assert.deepEqual([same?.flap, same?.news], [flap, undefined])
    const late = alert('firing', at, { changedAt: START - 1 })
    if (state === 'resolved') assert.deepEqual(flapWith(flap, { ...problem, ...sender }, late)?.flap, flap)
    const other = flapWith(flap, problem, alert(state === 'firing' ? 'resolved' : 'firing', at))
    assert((other?.flap.overAt ?? 0) > (flap?.overAt ?? Infinity))
  }
})

test('a severity louder than all before it is news, once', () => {
  const { problem, flap } = changed(9, 1_000)
  const critical = alert('firing', START + MINUTE, { severity: 'critical' })
  const louder = flapWith(flap, problem, critical)
  assert.equal(louder?.news, 'louder')
  assert.equal(flapWith(louder?.flap, problem, critical)?.news, undefined)
  assert.equal(flapWith(undefined, changed(4, 1_000).problem, alert('resolved', START + 5_000))?.news, undefined)
  const begins = { ...problem, state: 'resolved' } as const
  assert.equal(flapWith(undefined, begins, critical)?.news, 'louder', 'also where it begins to flap')
})

test('an alert that its group did not have since it flaps is news, once; unknown ones always are', () => {
  const group = { sender: 'grouped_alerts', members: ['a', 'b'] } as const
  const { problem, flap } = changed(9, 1_000, group)
  const of = (...members: string[]) => alert('firing', START + MINUTE, { ...group, members })
  assert.equal(flapWith(flap, problem, of('b'))?.news, undefined)
  const joined = flapWith(flap, problem, of('b', 'c'))
  assert.equal(joined?.news, 'new alert')
  assert.equal(flapWith(joined?.flap, problem, of('c'))?.news, undefined)
  assert.equal(flapWith(joined?.flap, problem, of('a', 'b', 'c'))?.news, undefined)
  const many = of(...Array.from({ length: 300 }, (_, n) => `m${n}`))
  assert((flapWith(flap, problem, many)?.flap.members?.length ?? 0) <= 256)
  const { members: _, ...unknown } = of()
  assert.equal(flapWith(flap, problem, unknown)?.news, 'new alert')
})

test('while its problem is unknown, one that flaps goes on, and none begins', () => {
  const { flap } = changed(9, 1_000)
  const fires = alert('firing', START + MINUTE)
  assert.deepEqual(flapWith(flap, undefined, fires)?.flap, flap)
  assert.equal(flapWith(undefined, undefined, fires), undefined)
})
