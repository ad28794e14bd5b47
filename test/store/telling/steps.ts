import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Destination } from '../../../src/domain/delivery/delivery.ts'
import type { Status } from '../../../src/domain/incident.ts'
import { wordsOf } from '../outbox/subject.ts'
import { deadlinesOf } from './invariants.ts'
import { afterArrival, beforeArrival } from './outside.ts'
import { HOUR, MINUTE, type Outcome, type World } from './world.ts'

/** One call of the store, which may fail or be cut off by a crash, and what the senders know after it. */
interface Act {
  call(): void
  /** Not called when the call failed. */
  done?(): void
  /** The process ended right after the call; absent: as `done`. */
  lost?(): void
}

/** Plain data, so that a history that fails can be read and repeated. */
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

const nth = fc.nat({ max: 30 })
/** Problems with even numbers are of the service db. */
const serviceOf = (problem: number) => (problem % 2 === 0 ? 'db' : 'web')
const arrive = fc.record({
  kind: fc.constant('arrive' as const),
  count: fc.constantFrom(1, 1, 1, 2, 5),
  problem: fc.nat({ max: 4 }),
  severity: fc.constantFrom('critical', 'warning', 'info'),
  status: fc.constantFrom<Status>('firing', 'firing', 'firing', 'resolved'),
  members: fc.option(fc.subarray(['a', 'b', 'c'], { minLength: 1 }), { freq: 2 }),
  target: fc.constantFrom(null, null, null, 'payments'),
  flips: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})
const claim = fc.record({
  kind: fc.constant('claim' as const),
  from: fc.subarray<Destination>(['chatws', 'email', 'oncall'], { minLength: 1 }),
  slots: fc.integer({ min: 1, max: 8 }),
})
const settle = fc.record({
  kind: fc.constant('settle' as const),
  nth,
  how: fc.constantFrom<Outcome>('sent', 'sent', 'sent', 'dead', 'pending', 'released', 'gone'),
  afterMs: fc.nat({ max: 20_000 }),
})
const lose = fc.record({ kind: fc.constant('lose senders' as const) })
const deliver = fc.record({ kind: fc.constant('deliver' as const) })
const operate = fc.record({
  kind: fc.constant('operate' as const),
  what: fc.constantFrom('acknowledge', 'acknowledge', 'resolve', 'replay', 'resend', 'end problem'),
  nth,
})
const silence = fc.record({
  kind: fc.constant('silence' as const),
  service: fc.constantFrom('web', 'db'),
  forMs: fc.integer({ min: MINUTE, max: 2 * HOUR }),
})
const endSilence = fc.record({ kind: fc.constant('end silence' as const), nth })
const reload = fc.record({
  kind: fc.constant('reload' as const),
  rules: fc.record(
    {
      storms: fc.boolean(),
      repeats: fc.constantFrom<'each' | 'fold'>('each', 'fold'),
      flapping: fc.boolean(),
      groups: fc.boolean(),
      oncall: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
})
const clock = fc.record({
  kind: fc.constant('set clock' as const),
  byMs: fc.integer({ min: -5 * HOUR, max: 5 * HOUR }),
})
const thereAndBack = fc.record({
  kind: fc.constant('set clock there and back' as const),
  byMs: fc.integer({ min: -5 * HOUR, max: 5 * HOUR }),
})
const wait = fc.record({
  kind: fc.constant('wait' as const),
  ms: fc.oneof(fc.nat({ max: MINUTE }), fc.nat({ max: HOUR }), fc.nat({ max: 5 * HOUR })),
})
const prune = fc.record({ kind: fc.constant('prune' as const) })
const anyStep = fc.oneof(
  { weight: 8, arbitrary: arrive },
  { weight: 3, arbitrary: claim },
  { weight: 6, arbitrary: settle },
  { weight: 3, arbitrary: deliver },
  { weight: 3, arbitrary: wait },
  { weight: 2, arbitrary: operate },
  { weight: 2, arbitrary: prune },
  ...[lose, silence, endSilence, reload, clock, thereAndBack].map((arbitrary) => ({ weight: 1, arbitrary })),
)

/** A step, and what goes wrong in it: its nth statement fails, or the process ends there. */
export const history = fc.array(
  fc.record({
    step: anyStep,
    fault: fc.option(fc.record({ how: fc.constantFrom('fail', 'crash'), at: fc.nat({ max: 60 }) }), { freq: 3 }),
  }),
  { minLength: 5, maxLength: 40, size: 'max' },
)

/** Returns the calls of a step, which are made one after another. */
export function actsOf(step: Step, world: World): readonly Act[] {
  switch (step.kind) {
    case 'arrive':
      return [arriving(step, world)]
    case 'claim': {
      const capacity = new Map(step.from.map((to) => [to, { slots: step.slots, maxBytes: 1e9 }]))
      return [handing(world, () => world.turn({ capacity }).dispatches)]
    }
    case 'settle': {
      const one = [...world.held.values()][step.nth % Math.max(1, world.held.size)]
      if (one === undefined) return []
      const how =
        step.how === 'gone' && (one.destination === 'oncall' || one.edits === undefined) ? 'pending' : step.how
      const settlements = [world.settlementOf(one, how, step.afterMs)]
      // After a crash in it, its sender is dead.
      const isHeld = () => world.held.get(wordsOf(one)) === one
      return [
        {
          call: () => void world.turn({ settlements: isHeld() ? settlements : [] }),
          done: () => isHeld() && world.settled(one, how),
        },
      ]
    }
    case 'lose senders':
      return [{ call: () => void world.turn({ sendersLost: true }), done: () => world.lose() }]
    case 'deliver':
      return [{ call: () => {}, done: () => void world.deliver(), lost: () => {} }]
    case 'operate':
      return operating(step, world)
    case 'silence':
      return [{ call: () => {}, done: () => world.addSilence(step.service, step.forMs) }]
    case 'end silence':
      return endingSilence(step.nth, world)
    case 'reload':
      return [{ call: () => {}, done: () => world.reload(step.rules) }]
    case 'set clock':
      return [{ call: () => world.setClock(step.byMs) }]
    case 'set clock there and back':
      return thereAndBackAgain(step.byMs, world)
    case 'wait':
      world.now += step.ms
      return [{ call: () => void world.turn() }]
    case 'prune':
      return [{ call: () => void world.store.maintenance.prune(64) }]
    default:
      return step satisfies never
  }
}

const handing = (world: World, call: () => ReturnType<World['turn']>['dispatches']): Act => {
  let dispatches: ReturnType<typeof call> = []
  return {
    call: () => {
      dispatches = call()
    },
    done: () => world.hold(dispatches),
    lost: () => {},
  }
}

function arriving(step: Extract<Step, { kind: 'arrive' }>, world: World): Act {
  const { count, problem, severity, status, members, target, flips } = step
  const of = (at: number) => ({
    fingerprint: `p${problem}`,
    severity,
    service: serviceOf(problem),
    status: flips && at % 2 === 1 ? ('firing' as const) : flips ? ('resolved' as const) : status,
    sender: 'error_tracker' as const,
    ...(members && { members }),
  })
  const trial = beforeArrival(world, of(0), target)
  const drafts = Array.from({ length: flips ? 8 : count }, (_, at) => of(at))
  const arrived = world.commit(drafts, target === null ? undefined : { targets: { chatws: target } })
  return { call: () => void world.turn(), done: () => afterArrival(world, arrived, trial) }
}

function operating({ what, nth }: Extract<Step, { kind: 'operate' }>, world: World): Act[] {
  const listed = world.store.incidents.list({ limit: 50 }).incidents
  const id = listed[nth % Math.max(1, listed.length)]?.id
  const found = world.store.problems.list({ limit: 50 }).problems
  const problem = found[nth % Math.max(1, found.length)]?.id
  if (id === undefined || problem === undefined) return []
  const calls = {
    acknowledge: () => world.store.operator.acknowledge(id, 'Ada'),
    resolve: () => world.store.operator.resolve(id, 'Ada'),
    resend: () => world.store.operator.resend(id),
    replay: () => world.store.operator.replay({ state: 'dead' }),
    'end problem': () => world.store.problems.resolve(problem, 'Ada'),
  }
  return [
    {
      call: () => void calls[what as keyof typeof calls](),
      done: () => {
        if (what === 'resend') world.again.add(id)
        if (what === 'replay') for (const each of world.byId.keys()) world.again.add(each)
      },
    },
  ]
}

function endingSilence(nth: number, world: World): Act[] {
  const live = [...world.silences].filter(([, { isOver }]) => !isOver).map(([id]) => id)
  const id = live[nth % Math.max(1, live.length)]
  if (id === undefined) return []
  return [{ call: () => void world.store.silences.end(id, 'Ada'), done: () => world.silenceIsOver(id) }]
}

/** Ends of silences are times of the wall clock, so there must be none. */
function thereAndBackAgain(byMs: number, world: World): Act[] {
  if ([...world.silences.values()].some(({ isOver }) => !isOver)) return []
  // By then changes of problems are on disk.
  world.now += 1_000
  world.turn()
  const before = deadlinesOf(world)
  const check = () => assert.deepEqual(deadlinesOf(world), before, 'I15: a deadline moved')
  return [{ call: () => world.setClock(byMs) }, { call: () => world.setClock(-byMs), done: check, lost: () => {} }]
}
