import type { StoreOptions } from '../../src/store/store-options.ts'
import type { StoreBoot } from './boot.ts'
import {
  loadBrief,
  loadBriefReplies,
  loadEscalationPart,
  loadSchedules,
  openGrouping,
  openHeartbeatRules,
  openPolicy,
  openSilencing,
} from './open-policy.ts'

/** Returns the options of the store that a configuration asks for. */
export async function storeOptions(
  boot: StoreBoot,
  clock: Required<Pick<StoreOptions, 'now' | 'elapsed'>>,
): Promise<StoreOptions> {
  const {
    storage,
    channels,
    oncall,
    escalations,
    policy,
    fallbacks,
    repeats,
    flapping,
    heartbeats,
    silences,
    slo,
    copies,
  } = boot
  return {
    ...storage,
    ...(oncall && { oncall }),
    ...(escalations && { escalations, escalationPart: await loadEscalationPart() }),
    ...(boot.schedules && { schedules: boot.schedules, openSchedules: await loadSchedules() }),
    ...(boot.brief && { brief: { ...boot.brief, ...(await loadBrief()) } }),
    ...(boot.brief &&
      boot.briefReplies && { briefReplies: boot.briefReplies, openBriefReplies: await loadBriefReplies() }),
    channels: channels.map(({ name }) => name),
    decide: await openPolicy(policy),
    groupOf: await openGrouping(policy),
    ...(silences.length > 0 && { silences: { compile: await openSilencing(), configured: silences } }),
    storms: Object.fromEntries(channels.map(({ name, storm }) => [name, storm])),
    fallbacks,
    repeats,
    flapping,
    slo,
    copies,
    heartbeats: await openHeartbeatRules(heartbeats),
    threadedChannels: channels.flatMap(({ name, threads }) => (threads ? [name] : [])),
    answering: channels.flatMap(({ name, answering }) => (answering ? [name] : [])),
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
  }
}
