import type { TestContext } from 'node:test'
import { repeatsLine } from '../../../../src/domain/repeats.ts'
import type { OncallChange } from '../../../../src/store/ports/oncall.ts'
import type { StoreOptions } from '../../../../src/store/store-options.ts'
import { roomAt, type StoreRig } from '../../support.ts'
import { fire, given as givenRepeats, MINUTE, resolve, send } from '../repeats/rig.ts'

export const ON = { enable: true } as const
export const OFF = { enable: false } as const
export const ONCALL = { enable: true, waitMs: 2 * MINUTE, provider: 'webhook' } as const
const EACH = { mode: 'each', remindMs: 4 * 60 * MINUTE } as const

/** Every repeat is a message, unless its problem flaps. */
export const given = (t: TestContext, changes: Partial<StoreOptions> = {}) =>
  givenRepeats(t, { repeats: EACH, flapping: ON, ...changes })

interface Flips {
  readonly everyMs?: number
  readonly from?: 'firing' | 'resolved'
  readonly channel?: 'chatws' | 'email'
}

/** Changes the state so often, beginning with `from`, and sends what is due after each; returns the ids. */
export function flip(
  rig: StoreRig,
  changes: number,
  { everyMs = 3_000, from = 'firing', channel }: Flips = {},
): string[] {
  return Array.from({ length: changes }, (_, n) => {
    rig.now += everyMs
    const id = (n % 2 === 0) === (from === 'firing') ? fire(rig) : resolve(rig)
    send(rig, channel)
    return id
  })
}

/** Sends what is due and returns the lines that say how often the problem changed. */
export const lines = (rig: StoreRig, channel: 'chatws' | 'email' = 'chatws'): string[] =>
  send(rig, channel).flatMap(({ edits, repeats }) =>
    repeats === undefined ? [] : [`${edits === undefined ? 'post' : 'edit'} ${repeatsLine(repeats)}`],
  )

/** Takes the signals that are due to the pager. */
export function page(rig: StoreRig): string[] {
  return rig.turn({ capacity: roomAt('oncall') }).dispatches.flatMap((one) => {
    if (one.kind !== 'page') return []
    rig.settle(one, { state: 'sent' })
    return [one.signal]
  })
}

/** Lets the time pass until no problem flaps; returns the changes of escalations. */
export function untilOver(rig: StoreRig): OncallChange[] {
  const changes: OncallChange[] = []
  for (let at = rig.store.outbox.nextDueAt('any'); at < Infinity; at = rig.store.outbox.nextDueAt('any')) {
    rig.now = Math.max(rig.now, at)
    changes.push(...rig.turn({}).oncall)
  }
  return changes
}
