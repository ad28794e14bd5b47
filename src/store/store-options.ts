import type { ChannelName } from '../domain/delivery/delivery.ts'
import type { OncallPolicy } from '../domain/oncall.ts'
import type { Decide } from '../policy/decision.ts'
import type { BriefRules } from './brief/openings.ts'
import type { BriefPart } from './brief/part.ts'
import type { BriefReplyRules, OpenBriefReplies } from './brief/reply.ts'
import type { RepeatRules } from './bundles/rules.ts'
import type { HeartbeatRules } from './heartbeats/rules.ts'
import type { FallbackRules } from './noise/fallbacks.ts'
import type { StormRulesByChannel } from './noise/rules.ts'
import type { OpenSchedules, ScheduleRules } from './oncall/schedules.ts'
import type { PartOptions } from './parts.ts'
import type { SilenceRules } from './ports/silences.ts'

export interface StoreOptions extends PartOptions {
  /** Created with mode 0700 when absent. */
  readonly dataDir: string
  /** The enabled channels: every incident gets one delivery for each. */
  readonly channels: readonly ChannelName[]
  /** Finished incidents that retention keeps; unfinished ones are always kept. */
  readonly maxIncidents: number
  /** Quota of deliveries and pages that are not finished. The journal refuses above it; a replay fills half of the rest. */
  readonly maxBacklog: number
  /** Absent: no provider is configured, and only `escalations` page. */
  readonly oncall?: OncallPolicy
  /** Absent: every incident goes to the enabled channels, and pages by `oncall`. */
  readonly decide?: Decide
  /** Storm rules of the enabled channels; absent: nothing is folded into digests. */
  readonly storms?: StormRulesByChannel
  /** Absent: every repeat is a message. */
  readonly repeats?: RepeatRules
  /** Destinations for the untold incidents of failing ones; absent: they wait. */
  readonly fallbacks?: FallbackRules
  /** Absent: none. */
  readonly heartbeats?: HeartbeatRules
  /** Silences of the configuration, and the compiler of all; absent: `silences.start` is called when there are some. */
  readonly silences?: SilenceRules
  /** Schedules of on-call; absent: there are none. */
  readonly schedules?: ScheduleRules
  /** Opens `schedules`: its code is loaded only for some. */
  readonly openSchedules?: OpenSchedules
  /** The history of problems, with the code that keeps it; absent: none is kept. */
  readonly brief?: BriefRules & { readonly part: BriefPart }
  /** The enabled channels from whose messages people answer; absent: none. */
  readonly answering?: readonly ChannelName[]
  /** Replies with the brief in threads; absent: none. */
  readonly briefReplies?: BriefReplyRules
  /** Opens `briefReplies`, as `openSchedules`. */
  readonly openBriefReplies?: OpenBriefReplies
  /** Messages about a problem that a change of it edits, at each destination; absent: 20. */
  readonly copies?: number
  /** Hears of each delivery to a destination beyond the bound, which goes to the default one. */
  readonly destinationsFull?: (channel: ChannelName, target: string) => void
  /** Epoch milliseconds. */
  readonly now: () => number
}
