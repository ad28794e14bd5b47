import type { TestContext } from 'node:test'
import type { MessageDispatch } from '../../../../src/domain/delivery/dispatch.ts'
import type { Draft } from '../../../../src/domain/incident.ts'
import type { StoreOptions } from '../../../../src/store/store-options.ts'
import { draft, StoreRig } from '../../support.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const REMIND = 4 * HOUR
export const FOLD = { mode: 'fold', remindMs: REMIND } as const
const PACE = { perSecond: 1, burst: 4 }
const RULES = { enable: true, rate: PACE, reading: PACE, withinMs: MINUTE }
const STORMS = { chatws: { ...RULES, edits: true }, email: { ...RULES, edits: false } }

export const given = (t: TestContext, changes: Partial<StoreOptions> = {}) =>
  new StoreRig(t, { channels: ['chatws'], maxBacklog: 100_000, storms: STORMS, repeats: FOLD, ...changes })

export const ALERT = { sender: 'error_tracker', fingerprint: 'db', title: 'Disk full', severity: 'warning' } as const

export function fire(rig: StoreRig, changes: Partial<Draft> = {}): string {
  const one = draft({ ...ALERT, createdAt: rig.now, ...changes })
  rig.commit({ drafts: [one] })
  return one.id
}
export const resolve = (rig: StoreRig) => fire(rig, { status: 'resolved' })

let messages = 0
/** Claims and sends what is due; every message gets an id. */
export function send(rig: StoreRig, channel: 'chatws' | 'email' = 'chatws'): MessageDispatch[] {
  const sent = rig.claim(channel)
  for (const one of sent) rig.settle(one, { state: 'sent' }, { messageId: `m${++messages}`, startedAt: rig.now })
  while (rig.turn({}).concluded.length > 0);
  rig.turn({})
  return sent
}
export const stateOf = (rig: StoreRig, id: string) => rig.detail(id).deliveries[0]?.state
export const statesOf = (rig: StoreRig, ids: readonly string[]) => ids.map((id) => stateOf(rig, id))

export function repeat(rig: StoreRig, count: number, everyMs = 1_000): string[] {
  return Array.from({ length: count }, () => {
    rig.now += everyMs
    return fire(rig)
  })
}
