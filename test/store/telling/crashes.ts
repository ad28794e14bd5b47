import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../src/domain/incident.ts'
import { ON_FILES } from '../database.ts'
import { drain, Witness } from './invariants.ts'
import { checkHandedOut } from './outside.ts'
import { HOUR, MINUTE, PLAIN, type Rules, World } from './world.ts'

type Part = (world: World) => void
interface Scenario {
  readonly rules: Partial<Rules>
  readonly parts: readonly Part[]
}

const deliver: Part = (world) => void world.deliver()
const prune: Part = ({ store }) => {
  while (store.maintenance.prune(64) > 0);
}
const wait =
  (ms: number): Part =>
  (world) => {
    world.now += ms
    world.turn()
  }
const arrive =
  (count: number, draft: (n: number) => Partial<Draft>): Part =>
  (world) => {
    world.commit(Array.from({ length: count }, (_, n) => draft(n)))
    world.turn()
  }
const fire = (count: number, fingerprint = 'f', severity = 'warning') =>
  arrive(count, () => ({ fingerprint, severity }))
const resolve = (fingerprint = 'f') => arrive(1, () => ({ fingerprint, status: 'resolved' }))
const flood = (count: number) =>
  arrive(count, (n) => ({ fingerprint: `p${n % 5}`, severity: n % 7 === 6 ? 'critical' : 'info' }))
const flips = arrive(8, (n) => ({ fingerprint: 'f', status: n % 2 === 0 ? 'firing' : 'resolved' }))
const forget = [arrive(6, (n) => ({ fingerprint: `other ${n}`, source: 'agent', severity: 'low' })), deliver, prune]
const fail: Part = (world) => {
  const held = world.turn({ capacity: new Map([['chatws', { slots: 9, maxBytes: 1e9 }]]) }).dispatches
  world.hold(held)
  world.turn({ settlements: held.map((one) => world.settlementOf(one, 'dead')) })
  for (const one of held) world.settled(one, 'dead')
}
/** The one problem of the group, beside the first, that has a message of its own. */
const rings =
  (fingerprint: string): Part =>
  ({ store }) => {
    const stored = store.incidents.list({ limit: 500 }).incidents
    const singles = stored.filter(({ id }) => store.incidents.detail(id)?.deliveries[0]?.via == null)
    assert.deepEqual(
      singles.map((one) => one.fingerprint),
      [fingerprint, 'a'],
    )
  }
const silences = (problems: number): Part[] => [
  fire(2, 'db', 'critical'),
  (world) => world.addSilence('web', HOUR),
  arrive(problems, (n) => ({ fingerprint: `s${n}`, severity: 'warning' })),
  resolve('s1'),
  ...[wait(2 * HOUR), wait(0), wait(0), deliver],
]

const SCENARIOS: { readonly [name: string]: Scenario } = {
  'a storm with a louder alert': {
    rules: { storms: true },
    parts: [flood(20), deliver, wait(20_000), fire(1, 'p0', 'critical'), flood(10), deliver, wait(MINUTE), deliver],
  },
  'the end of a storm': {
    rules: { storms: true },
    parts: [flood(20), wait(MINUTE), deliver, wait(20 * MINUTE), deliver, wait(MINUTE)],
  },
  'repeats with an answer': {
    rules: { repeats: 'fold' },
    parts: [fire(1), deliver, fire(3), wait(2 * MINUTE), deliver, fire(2), resolve(), deliver],
  },
  'repeats that a storm takes over': {
    rules: { repeats: 'fold', storms: true },
    parts: [
      fire(1),
      deliver,
      fire(3),
      wait(MINUTE),
      deliver,
      fire(2),
      flood(20),
      wait(MINUTE),
      deliver,
      resolve(),
      deliver,
    ],
  },
  'the end of flapping after retention': {
    rules: { flapping: true, keep: 3 },
    parts: [flips, deliver, ...forget, wait(2 * HOUR), deliver, prune],
  },
  'a silence of many problems': { rules: {}, parts: silences(40) },
  'a page that is resolved after retention': {
    rules: { keep: 3 },
    parts: [fire(1, 'f', 'critical'), deliver, wait(3 * MINUTE), deliver, ...forget, resolve(), deliver, prune],
  },
  'a group with a louder alert': {
    rules: { groups: true },
    parts: [
      ...[fire(1, 'a'), deliver, fire(1, 'b'), fire(1, 'c'), wait(MINUTE), deliver],
      ...[fire(1, 'd', 'critical'), fire(1, 'e'), deliver, rings('d'), wait(MINUTE), deliver],
      ...[...['a', 'b', 'c', 'd'].map(resolve), wait(MINUTE), deliver, resolve('e'), deliver],
    ],
  },
  'a fallback': { rules: {}, parts: [fire(3), fail, deliver, resolve(), fail, deliver] },
  'a clock that is set': {
    rules: { storms: true, repeats: 'fold' },
    parts: [
      flood(12),
      (world) => world.setClock(-3 * HOUR),
      fire(2),
      deliver,
      (world) => world.setClock(4 * HOUR),
      deliver,
      wait(MINUTE),
      deliver,
    ],
  },
}

/** Ends the process at statements of each part of each scenario: every `every`-th. On files only: a server takes minutes for one. */
export function survives(every: number): void {
  for (const [name, { rules, parts }] of Object.entries(SCENARIOS))
    test(`I1 to I14: a crash at any statement loses and repeats nothing: ${name}`, ON_FILES, () => {
      const expected = played({ ...PLAIN, ...rules }, parts)
      for (let part = 0; part < parts.length; part++)
        for (let at = (13 * part) % every; ; at += every) {
          const found = played({ ...PLAIN, ...rules }, parts, { part, at })
          if (found === undefined) break
          for (const [id, states] of found)
            assert.deepEqual(states, expected?.get(id) ?? states, `${id}, a crash at ${part}, ${at}`)
        }
    })
}

/** Plays a scenario to its end; undefined: the part ended before the crash. Returns the outcome of each incident that is stored. */
function played(rules: Rules, parts: readonly Part[], crash?: { readonly part: number; readonly at: number }) {
  const world = new World(rules)
  const witness = new Witness()
  world.watch = (one) => checkHandedOut(world, one)
  try {
    for (const [nth, part] of parts.entries()) {
      if (nth !== crash?.part) part(world)
      else if (crashed(world, part, crash.at)) return undefined
      witness.check(world)
    }
    drain(world, witness)
    return outcomesOf(world)
  } finally {
    world.clean()
  }
}

/** Goes on after the crash as the service does: the journal hands over again, people ask again. Returns whether the part was done. */
function crashed(world: World, part: Part, at: number): boolean {
  const { now, journal } = world
  const { length } = journal
  if (
    world.crashAt(
      at,
      () => part(world),
      () => {},
    )
  )
    return true
  if (journal.length > length || world.now !== now) world.turn()
  else part(world)
  return false
}

function outcomesOf({ store }: World): Map<string, unknown> {
  const stored = store.incidents.list({ limit: 500 }).incidents
  return new Map(
    stored.map(({ id }) => {
      const { deliveries = [], oncall } = store.incidents.detail(id) ?? {}
      return [
        id,
        [...deliveries.map(({ channel, target, state }) => `${channel} ${target} ${state}`), oncall?.state],
      ] as const
    }),
  )
}
