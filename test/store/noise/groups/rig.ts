import type { TestContext } from 'node:test'
import type { ChannelName } from '../../../../src/domain/delivery/delivery.ts'
import type { MessageDispatch } from '../../../../src/domain/delivery/dispatch.ts'
import type { Draft } from '../../../../src/domain/incident.ts'
import { openGroupOf } from '../../../../src/policy/bundles/group.ts'
import { openDefaultDecide } from '../../../../src/policy/default.ts'
import type { StoreOptions } from '../../../../src/store/store-options.ts'
import { draft, StoreRig } from '../../support.ts'

export const MINUTE = 60_000
export const INTERVAL = 5 * MINUTE
const PACE = { perSecond: 1, burst: 4 }
const RULES = { enable: true, rate: PACE, reading: PACE, withinMs: MINUTE }
const STORMS = { chatws: { ...RULES, edits: true }, email: { ...RULES, edits: false } }

/** Options of a store in which incidents of one service are one group. */
export function grouped(channels: readonly ChannelName[] = ['chatws'], oncall?: StoreOptions['oncall']) {
  const group = { by: ['service'], intervalMs: INTERVAL }
  return {
    ...{ channels, maxBacklog: 100_000, storms: STORMS, threadedChannels: ['chatws'] },
    ...(oncall && { oncall }),
    decide: openDefaultDecide({ channels, group, ...(oncall && { oncall }) }),
    groupOf: openGroupOf(() => []),
  } satisfies Partial<StoreOptions>
}

export const given = (t: TestContext, changes: Partial<StoreOptions> = {}, channels?: readonly ChannelName[]) =>
  new StoreRig(t, { ...grouped(channels), ...changes })

/** Commits an alert of the problem of a host; returns its id. */
export function alert(rig: StoreRig, host: string, changes: Partial<Draft> = {}): string {
  const facts = { sender: 'error_tracker', service: 'db', fingerprint: host, title: `Disk of ${host}` } as const
  const one = draft({ ...facts, severity: 'warning', createdAt: rig.now, ...changes })
  rig.commit({ drafts: [one] })
  return one.id
}
export const alerts = (rig: StoreRig, hosts: readonly string[], changes: Partial<Draft> = {}) =>
  hosts.map((host) => alert(rig, host, changes))
export const resolve = (rig: StoreRig, host: string) => alert(rig, host, { status: 'resolved' })

let messages = 0
/** Claims and sends what is due; every message gets an id. */
export function send(rig: StoreRig, channel: ChannelName = 'chatws'): MessageDispatch[] {
  const sent = rig.claim(channel)
  for (const one of sent) {
    const messageId = one.edits ?? `m${++messages}`
    rig.settle(one, { state: 'sent' }, { messageId, startedAt: rig.now })
  }
  while (rig.turn({}).concluded.length > 0);
  rig.turn({})
  return sent
}

/** Lets time pass in steps of a second and sends what is due meanwhile. */
export function pass(rig: StoreRig, ms: number, channel: ChannelName = 'chatws'): MessageDispatch[] {
  const sent: MessageDispatch[] = []
  for (let left = ms; left > 0; left -= 1_000) {
    rig.now += Math.min(left, 1_000)
    sent.push(...send(rig, channel))
  }
  return sent
}

export const stateOf = (rig: StoreRig, id: string) => rig.detail(id).deliveries[0]?.state
export const statesOf = (rig: StoreRig, ids: readonly string[]) => ids.map((id) => stateOf(rig, id))
export const viaOf = (rig: StoreRig, id: string) => rig.detail(id).deliveries[0]?.via
export const messageOf = (rig: StoreRig, id: string) => rig.detail(id).deliveries[0]?.message_id

/** A group of two problems of which the destination was told; returns the ids of both alerts. */
export function openGroup(rig: StoreRig, channel: ChannelName = 'chatws'): [first: string, second: string] {
  const first = alert(rig, 'a')
  send(rig, channel)
  const second = alert(rig, 'b')
  pass(rig, channel === 'chatws' ? 3_000 : 31_000, channel)
  return [first, second]
}

/** Returns where an alert of the group of `db` would go if it was committed now. */
export function tryAlert(
  rig: StoreRig,
  host: string,
  changes: Partial<Pick<Draft, 'status' | 'severity' | 'sender'>> = {},
) {
  const key = openGroupOf(() => [])(draft({ service: 'db' }), { rule: '', by: ['service'], intervalMs: INTERVAL })?.key
  const facts = { sender: 'error_tracker', severity: 'warning', status: 'firing', page: undefined, ...changes } as const
  const group = { key: key ?? '', priority: 'normal' } as const
  const tried = rig.store.noise.tryRepeat({ ...facts, fingerprint: host, destinations: [{ channel: 'chatws' }], group })
  return tried?.destinations[0]
}
