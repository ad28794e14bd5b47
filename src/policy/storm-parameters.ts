/** Messages a second, and how many may come at once. */
interface Pace {
  readonly perSecond: number
  readonly burst: number
}

export interface StormSettings {
  /** Rate limit of the destination. */
  readonly rate: Pace
  /** Messages that its readers can follow. */
  readonly reading: Pace
  /** Longest time from commit to the provider's answer; a slow destination has a longer one, see `boundMs`. */
  readonly withinMs: number
  /** The channel can edit a message that it sent. */
  readonly edits: boolean
  /** Quota of unfinished messages. */
  readonly maxBacklog: number
}

/** Numbers of a destination that the storm rules use. All are derived: none has to be tuned. */
export interface StormParameters {
  /** The reading rate, singles a second: the leak of the level. */
  readonly readingPerSecond: number
  /** Singles that may be unfinished or unread (`load`). From this number on there is a storm. */
  readonly maxLoad: number
  /** Urgent singles that may wait at once; the next one is folded. */
  readonly maxUrgent: number
  /** Normal singles that are handed out at once during a storm. */
  readonly maxNormal: number
  /** Urgent singles, and singles of new problems, of one storm in an hour. */
  readonly urgentsAnHour: number
  readonly newcomersAnHour: number
  /** From the opening of a storm to its first revision. */
  readonly firstRevisionMs: number
  /** Time between revisions. It doubles from `minIntervalMs` to `maxIntervalMs`; with edits they are equal. */
  readonly minIntervalMs: number
  readonly maxIntervalMs: number
  /** From one post to a revision that is posted because it is urgent; doubles while urgent alerts are folded. */
  readonly urgentGapMs: number
  /** Untold alerts that make a revision due at once, so that a flood does not fill the quota. */
  readonly maxUntold: number
  /** Tokens that the limiter keeps for urgent messages and digests during a storm. */
  readonly reservedTokens: number
  /** Longest time from commit to the provider's answer, for all alerts and for urgent ones. */
  readonly boundMs: number
  readonly urgentBoundMs: number
  readonly edits: boolean
}

/** Above this reading rate a machine reads: nothing is folded. */
const MACHINE_PER_SECOND = 20
/** Time in which the limiter can send what may be unfinished. */
const DRAIN_S = 10
/** Shares of the messages of an hour. */
const URGENT_SHARE = 0.25
const NEWCOMER_SHARE = 0.1
const MAX_URGENTS = 60
const MAX_NEWCOMERS = 20
const MIN_EDIT_INTERVAL_MS = 10_000
const MIN_POST_INTERVAL_MS = 15_000
/** Slack allows about 50 edits a minute to one app, whatever the number of chats. */
const EDIT_MS_OF_A_STORM = 1_500
/** Of the bound, for the provider's answer and for applying. */
const MARGIN_MS = 5_000
/** Share of the quota that untold alerts may take before they are told early. */
const UNTOLD_SHARE = 0.25

/**
 * Derives the parameters of a destination; undefined where nothing is folded because a machine reads.
 * @param storms storms that are open on the channel, which share its edits; at least 1
 */
export function stormParameters(
  { rate, reading, withinMs, edits, maxBacklog }: StormSettings,
  storms = 1,
): StormParameters | undefined {
  if (reading.perSecond > MACHINE_PER_SECOND) return undefined
  const perToken = 1_000 / rate.perSecond
  const anHour = 3_600 * rate.perSecond
  const maxUrgent = Math.max(1, Math.floor(3 * rate.perSecond))
  const boundMs = Math.max(withinMs, 12 * perToken)
  const editIntervalMs = Math.max(MIN_EDIT_INTERVAL_MS, 5 * perToken, EDIT_MS_OF_A_STORM * storms)
  const maxIntervalMs = edits
    ? editIntervalMs
    : Math.max(2 * perToken, boundMs - (maxUrgent + 4) * perToken - MARGIN_MS)
  return {
    readingPerSecond: reading.perSecond,
    maxLoad: Math.max(2, Math.floor(reading.burst + DRAIN_S * reading.perSecond)),
    maxUrgent,
    maxNormal: Math.max(2, Math.ceil(2 * rate.perSecond)),
    urgentsAnHour: Math.max(1, Math.min(MAX_URGENTS, Math.floor(URGENT_SHARE * anHour))),
    newcomersAnHour: Math.max(1, Math.min(MAX_NEWCOMERS, Math.floor(NEWCOMER_SHARE * anHour))),
    firstRevisionMs: Math.max(2_000, perToken),
    minIntervalMs: edits ? editIntervalMs : Math.min(MIN_POST_INTERVAL_MS, maxIntervalMs),
    maxIntervalMs,
    urgentGapMs: Math.max(3_000, 2 * perToken),
    maxUntold: Math.max(1, Math.floor(UNTOLD_SHARE * maxBacklog)),
    reservedTokens: Math.floor(rate.burst / 2),
    boundMs,
    urgentBoundMs: Math.max(5_000, 4 * perToken),
    edits,
  }
}
