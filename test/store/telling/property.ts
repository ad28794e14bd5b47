import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ON_FILES } from '../database.ts'
import { drain, viewOf, Witness } from './invariants.ts'
import { checkHandedOut } from './outside.ts'
import { actsOf, history } from './steps.ts'
import { PLAIN, type Rules, World } from './world.ts'

const ALL = { storms: true, repeats: 'fold', flapping: true, groups: true } as const
const BEGINS: { readonly [name: string]: Rules } = {
  'messages alone': PLAIN,
  storms: { ...PLAIN, storms: true },
  'repeats and flapping': { ...PLAIN, repeats: 'fold', flapping: true },
  groups: { ...PLAIN, groups: true },
  'all together, and retention of three': { ...PLAIN, ...ALL, keep: 3 },
  'all together, and retention of 200': { ...PLAIN, ...ALL, keep: 200 },
}
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

/** Random histories of a store, with faults; after each step the invariants of telling hold. A server takes fewer. */
export function holds(runs: number, seed = 20_300_101): void {
  const numRuns = 'skip' in ON_FILES ? Math.ceil(runs / 50) : runs
  for (const [name, rules] of Object.entries(BEGINS))
    test(`I1 to I17: after any steps, failures and crashes nobody is told wrongly: ${name}`, () => {
      fc.assert(
        fc.property(history, (steps) => play(steps, rules)),
        // The limit ends the shrinking of a failure before the time of the file is over.
        { seed, numRuns, includeErrorInReport: true, interruptAfterTimeLimit: 40_000 },
      )
    })
}

function play(steps: History, rules: Rules): void {
  const world = new World(rules)
  const witness = new Witness()
  world.watch = (one) => checkHandedOut(world, one)
  try {
    for (const { step, fault: wanted } of steps) {
      // A restart ends leases, and what they wait for.
      const fault = step.kind === 'set clock there and back' ? null : wanted
      for (const { call, done = () => {}, lost = done } of actsOf(step, world)) {
        if (fault?.how === 'fail' && !failed(world, fault.at, call)) {
          done()
          continue
        }
        if (fault?.how === 'crash' && world.crashAt(fault.at, call, lost)) continue
        call()
        done()
      }
      world.turn()
      witness.check(world)
    }
    drain(world, witness)
  } finally {
    world.clean()
  }
}

/** I12: a call that fails leaves memory as it was. Returns whether it got as far. */
function failed(world: World, statement: number, call: () => void): boolean {
  const before = viewOf(world)
  try {
    world.opened.refusedFrom(statement, call)
    return false
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'storage_down', String(error))
    assert.deepEqual(viewOf(world), before, 'I12: a failed call changed something')
    return true
  }
}
