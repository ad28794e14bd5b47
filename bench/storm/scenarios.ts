import type { AlertStream } from '../../test/harness/noise/alerts.ts'
import type { Limit } from '../../test/harness/stand-ins/limit.ts'

/** One stream of alerts into one channel and what must come of it. */
export interface Scenario extends AlertStream {
  readonly name: string
  readonly channel: 'chatws' | 'msgapp' | 'messenger' | 'email'
  /** Time over which the alerts are posted. */
  readonly seconds: number
  /** The provider is unreachable from 10 s after the start, for this time. */
  readonly outageSeconds?: number
  /** The alerts wait on disk as single messages before the service starts with digests. */
  readonly backlog?: true
  /** Storm digests are off: measures how soon incidents are refused, and waits for no message. */
  readonly digests?: 'off'
  /** Keys of the channel that differ from its defaults. */
  readonly settings?: object
  /** Limit of the stand-in where it differs from the real provider's. */
  readonly limit?: Limit
  readonly goals: Goals
}

/** Upper bounds. */
interface Goals {
  readonly posts: number
  readonly edits?: number
  /** Seconds from commit to the provider's answer. */
  readonly criticalSeconds?: number
  readonly allSeconds?: number
  /** From the first success after the outage until all is told. */
  readonly recoveredSeconds?: number
  /** Memory that the second half of the posting takes beyond the first. */
  readonly growthMb?: number
  /** From the first post to the first that is refused. */
  readonly refusedSeconds?: number
}

const TEN_THOUSAND = { count: 10_000, problems: 50, criticals: 5 }
const CHAT = { ...TEN_THOUSAND, channel: 'chatws' } as const

const PER_MINUTE = { ...TEN_THOUSAND, seconds: 60 }

/** Scenarios of one list run at the same time, each with a service and a provider of its own. */
export const TOGETHER: readonly (readonly Scenario[])[] = [
  [
    {
      ...CHAT,
      name: 'all in a second',
      seconds: 1,
      goals: { posts: 40, edits: 12, criticalSeconds: 5, allSeconds: 30 },
    },
    {
      ...TEN_THOUSAND,
      channel: 'msgapp',
      name: 'all in a second',
      seconds: 1,
      goals: { posts: 30, criticalSeconds: 12, allSeconds: 60 },
    },
    {
      ...CHAT,
      name: '50,000 messages of an earlier version wait',
      count: 50_000,
      seconds: 10,
      backlog: true,
      goals: { posts: 25, allSeconds: 60 },
    },
  ],
  [
    { ...CHAT, name: 'a minute', seconds: 60, goals: { posts: 40, edits: 12, criticalSeconds: 5, allSeconds: 30 } },
    {
      ...PER_MINUTE,
      channel: 'msgapp',
      name: 'a minute',
      goals: { posts: 30, criticalSeconds: 12, allSeconds: 60 },
    },
    {
      ...PER_MINUTE,
      channel: 'messenger',
      name: 'a minute, no edits, rate 1/s, burst 4',
      settings: { rate: { per_second: 1, burst: 4 } },
      goals: { posts: 40, criticalSeconds: 5, allSeconds: 60 },
    },
    { ...PER_MINUTE, channel: 'email', name: 'a minute', goals: { posts: 60, allSeconds: 300 } },
    {
      ...CHAT,
      name: 'a minute, each alert a new problem',
      problems: 10_000,
      criticals: 0,
      seconds: 60,
      goals: { posts: 60, allSeconds: 60 },
    },
    {
      ...CHAT,
      name: 'a minute, each alert a new critical problem',
      problems: 1,
      criticals: 9_999,
      seconds: 60,
      goals: { posts: 100, allSeconds: 60 },
    },
    {
      ...CHAT,
      name: 'a minute, and five without the chat',
      seconds: 60,
      outageSeconds: 300,
      goals: { posts: 25, recoveredSeconds: 20 },
    },
    { ...CHAT, name: 'ten minutes', seconds: 600, goals: { posts: 50, edits: 75, criticalSeconds: 5, allSeconds: 30 } },
    {
      ...CHAT,
      name: 'ten minutes, just above the rate',
      count: 900,
      criticals: 0,
      seconds: 600,
      goals: { posts: 90, edits: 75, allSeconds: 60 },
    },
  ],
  [
    {
      ...CHAT,
      name: 'five minutes at 5,000/s',
      count: 1_500_000,
      criticals: 0,
      seconds: 300,
      goals: { posts: 300, allSeconds: 60, growthMb: 64 },
    },
  ],
  [
    {
      ...CHAT,
      name: 'half a minute at 5,000/s, digests off',
      count: 150_000,
      criticals: 0,
      seconds: 30,
      digests: 'off',
      goals: { posts: 60, refusedSeconds: 25 },
    },
  ],
]

/** The short form: a provider that takes more than people can read. */
export const SHORT: Scenario = {
  ...CHAT,
  name: 'short',
  count: 300,
  seconds: 0.2,
  settings: { rate: { per_second: 20, burst: 20 }, storm: { rate: { per_second: 1, burst: 4 } } },
  limit: { perSecond: 20, burst: 20 },
  goals: { posts: 40 },
}
