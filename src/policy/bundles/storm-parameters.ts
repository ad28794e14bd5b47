/** Messages a second, and how many may come at once. */
interface Pace {
  readonly perSecond: number
  readonly burst: number
}

export interface StormLimits {
  /** Rate limit of the destination. */
  readonly rate: Pace
  /** Messages that its readers can follow. */
  readonly reading: Pace
  /** Longest time from commit to the provider's answer; a slow destination has a longer one, see `boundMs`. */
  readonly withinMs: number
  /** The channel can edit a message that it sent. */
  readonly edits: boolean
  /** Unfinished messages of the destination that the quota has room for. */
  readonly maxBacklog: number
}

/** Above this reading rate a machine reads: nothing is folded. */
const MACHINE_PER_SECOND = 20
/** Time in which the readers, and the limiter, can take what may be unfinished; at most a sixth of the bound. */
const DRAIN_MS = 10_000
const DRAIN_SHARE = 1 / 6
/**
 * One of four waiting messages is not urgent, so a single that is not urgent gets every fourth token. Half of these turns
 * within the bound go to singles that wait.
 */
const TOKENS_OF_A_TURN = 8
/** Shares of the messages of an hour. */
const URGENT_SHARE = 0.25
const NEWCOMER_SHARE = 0.1
const MAX_URGENTS = 60
const MAX_NEWCOMERS = 20
const MIN_EDIT_INTERVAL_MS = 10_000
const MIN_POST_INTERVAL_MS = 15_000
/** The chatws provider allows about 50 edits a minute to one app, whatever the number of chats. */
const EDIT_MS_OF_A_STORM = 1_500
/** Tokens that a revision may wait for: a message under way, an urgent one, a single whose turn it is, its own. */
const REVISION_TOKENS = 4
/** Part of the bound that is left for the provider's answer and for applying. */
const MARGIN_MS = 1_000
/** Share of the quota that untold alerts may take before they are told early. */
const UNTOLD_SHARE = 0.25

/** Numbers of a destination that the storm rules use. All are derived: none has to be tuned. */
export type StormParameters = NonNullable<ReturnType<typeof stormParameters>>

/**
 * Derives the parameters of a destination; undefined where nothing is folded because a machine reads.
 * @param storms storms that are open on the channel, which share its edits; at least 1
 */
export function stormParameters({ rate, reading, withinMs, edits, maxBacklog }: StormLimits, storms = 1) {
  if (reading.perSecond > MACHINE_PER_SECOND) return undefined
  const perToken = 1_000 / rate.perSecond
  const anHour = 3_600 * rate.perSecond
  const maxUrgent = Math.max(1, Math.floor(2 * rate.perSecond))
  const boundMs = Math.max(withinMs, 12 * perToken)
  const drainMs = Math.min(DRAIN_MS, boundMs * DRAIN_SHARE)
  const latestMs = boundMs - drainMs - REVISION_TOKENS * perToken - MARGIN_MS
  const fittingMs = Math.min(latestMs, Math.max(MIN_EDIT_INTERVAL_MS, 5 * perToken))
  const editIntervalMs = Math.max(fittingMs, EDIT_MS_OF_A_STORM * storms)
  const maxIntervalMs = edits ? editIntervalMs : latestMs
  const turns = Math.max(2, Math.floor(boundMs / perToken / TOKENS_OF_A_TURN))
  const drained = ({ perSecond, burst }: Pace) => Math.floor(burst + (drainMs / 1_000) * perSecond)
  const handedInStorm = Math.min(turns, Math.max(2, Math.ceil(2 * rate.perSecond)))
  const handedInCalm = Math.min(turns, drained(rate))
  return {
    /** The leak of the level, singles a second: the reading rate, or the destination's rate if that is lower. */
    readingPerSecond: Math.min(reading.perSecond, rate.perSecond),
    /** Singles that may be unfinished or unread (`load`). From this number on there is a storm. */
    maxLoad: Math.max(2, Math.min(drained(reading), drained(rate))),
    /** Urgent singles that may wait at once; the next one is folded. */
    maxUrgent,
    /** Singles that are not urgent and with the sender at once. In a storm few, so that the others can still be folded. */
    maxHanded: { calm: Math.max(handedInCalm, handedInStorm), storm: handedInStorm },
    /** In a storm an untried single of this age is folded. */
    foldAfterMs: drainMs,
    /** Urgent singles, and singles of new problems, of one storm in an hour. */
    urgentsAnHour: Math.max(1, Math.min(MAX_URGENTS, Math.floor(URGENT_SHARE * anHour))),
    newcomersAnHour: Math.max(1, Math.min(MAX_NEWCOMERS, Math.floor(NEWCOMER_SHARE * anHour))),
    /** From the opening of a storm to its first revision. */
    firstRevisionMs: Math.max(2_000, perToken),
    /** Time between revisions. It doubles from `minIntervalMs` to `maxIntervalMs`; with edits they are equal. */
    minIntervalMs: edits ? editIntervalMs : Math.min(maxIntervalMs, Math.max(MIN_POST_INTERVAL_MS, 5 * perToken)),
    maxIntervalMs,
    /** From one post to a revision that is posted because it is urgent; doubles while urgent alerts are folded. */
    urgentGapMs: Math.max(3_000, 2 * perToken),
    /** Untold alerts that make a revision due at once, so that a flood does not fill the quota. */
    maxUntold: Math.max(1, Math.floor(UNTOLD_SHARE * maxBacklog)),
    /** Tokens that the limiter keeps for urgent messages and digests during a storm. */
    reservedTokens: Math.min(Math.floor(rate.burst / 2), Math.floor(3 * rate.perSecond)),
    /** Longest time from commit to the provider's answer, for all alerts and for urgent ones. */
    boundMs,
    urgentBoundMs: Math.max(5_000, 4 * perToken),
    edits,
  }
}
