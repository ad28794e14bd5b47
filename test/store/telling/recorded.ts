import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Dispatch } from '../../../src/domain/delivery/dispatch.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import { randomFrom } from '../../harness/random.ts'
import { ON_FILES } from '../database.ts'
import { EVERYWHERE, HOUR, MINUTE, type Outcome, PLAIN, World } from './world.ts'

const STEPS = 60

/**
 * Plays a history without storms, repeats, flapping and retention, in which a problem that pages fires once until it is
 * resolved, and the clock is not set; returns a line for each dispatch that is handed out.
 */
function dispatchesOf(seed: number): string[] {
  const world = new World(PLAIN)
  const random = randomFrom(seed)
  const lines: string[] = []
  const firing: Partial<Draft>[] = []
  const below = (count: number) => Math.floor(random() * count)
  const arrive = (draft: Partial<Draft>) => void world.commit([draft])
  const take = (dispatches: readonly Dispatch[]) => {
    world.hold(dispatches)
    lines.push(...dispatches.map((one) => lineOf(one, world.now)))
  }
  const settle = () => {
    const held = [...world.held.values()]
    const one = held[below(Math.max(1, held.length))]
    const how = (['sent', 'sent', 'sent', 'pending', 'dead', 'released'] as const)[below(6)] as Outcome
    if (one === undefined) return
    world.turn({ settlements: [world.settlementOf(one, how, below(MINUTE))] })
    world.settled(one, how)
  }
  const steps: readonly (() => void)[] = [
    () => {
      const severity = ['critical', 'warning', 'info'][below(3)] ?? ''
      const one = { fingerprint: `f${world.journal.length}`, severity, service: below(3) === 0 ? 'db' : 'web' }
      firing.push(one)
      arrive(one)
    },
    () => {
      const [one] = firing.splice(below(Math.max(1, firing.length)), 1)
      if (one) arrive({ ...one, status: 'resolved' })
    },
    () =>
      arrive({
        fingerprint: `quiet ${below(3)}`,
        source: 'agent',
        severity: 'low',
        status: below(4) ? 'firing' : 'resolved',
      }),
    () => take(world.turn({ capacity: EVERYWHERE }).dispatches),
    settle,
    settle,
    () => operate(world, below(4), below(Math.max(1, world.journal.length))),
    () => {
      world.now += below(10 * MINUTE)
    },
    () => {
      world.now += below(HOUR)
    },
    () => silence(world, 5 * MINUTE + below(20 * MINUTE)),
    () => (below(2) ? world.reload() : loseSenders(world)),
  ]
  try {
    for (let n = 0; n < STEPS; n++) {
      const most = n % 3 === 0 ? steps.length : 7
      steps[below(most)]?.()
      take(world.turn({ capacity: new Map() }).dispatches)
    }
    for (let n = 0; n < 10; n++) {
      world.now += 10 * MINUTE
      const before = world.handedOut.length
      world.deliver()
      lines.push(...world.handedOut.slice(before).map((one) => lineOf(one, world.now)))
    }
  } finally {
    world.clean()
  }
  return lines
}

function operate({ store, journal }: World, what: number, nth: number): void {
  const id = journal[nth]?.id
  if (id === undefined || store.incidents.record(id) === undefined) return
  if (what === 0) store.operator.acknowledge(id, 'Ada')
  else if (what === 1) store.operator.resolve(id, 'Ada')
  else if (what === 2) store.operator.resend(id)
  else store.operator.replay({ state: 'dead' })
}

/** One at a time. */
function silence(world: World, forMs: number): void {
  world.turn()
  if ([...world.silences.values()].every(({ isOver }) => isOver)) world.addSilence('db', forMs)
}

function loseSenders(world: World): void {
  world.turn({ sendersLost: true })
  world.lose()
}

/** What a sender can see of a dispatch. */
function lineOf(one: Dispatch, now: number): string {
  const { kind, destination, target, fingerprint, severity, status, attempt, mayDuplicate } = one
  const words = [
    now,
    kind,
    destination,
    target,
    kind === 'notice' ? '' : one.title,
    fingerprint,
    severity,
    status,
    attempt,
    mayDuplicate,
  ]
  const rest =
    one.kind === 'page'
      ? [one.signal, one.dueAt, one.by]
      : one.destination === 'oncall'
        ? []
        : [one.rank, one.pages, one.inReplyTo, one.edits, one.notice && JSON.stringify(one.notice)]
  return [...words, ...rest].map((word) => word ?? '-').join(' ')
}

const hashOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12)

interface Recorded {
  /** Of the dispatches of each run, from seed 1 on. */
  readonly hashes: readonly string[]
  /** The dispatches of some runs by seed, for reading. */
  readonly runs: { readonly [seed: string]: readonly string[] }
}
const { hashes, runs } = JSON.parse(readFileSync(`${import.meta.dirname}/recorded.json`, 'utf8')) as Recorded

/** Compares the first runs of the record with what the store hands out; a server takes fewer. */
export function tellsAsRecorded(most: number): void {
  const count = 'skip' in ON_FILES ? Math.ceil(most / 25) : most
  test('I16: without storms, repeats and flapping the store hands out what it did before, word for word', () => {
    for (const [seed, lines] of Object.entries(runs))
      assert.deepEqual(dispatchesOf(Number(seed)), lines, `seed ${seed}`)
    const found = hashes.slice(0, count).map((_, at) => hashOf(dispatchesOf(at + 1)))
    assert.deepEqual(found, hashes.slice(0, count))
  })
}
