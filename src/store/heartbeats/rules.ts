import type { SignsOfLife } from '../../policy/heartbeat.ts'

/** When a heartbeat does not beat any more. */
export interface HeartbeatRule {
  /** Time without a sign of life; Infinity for one with `times`. */
  readonly silenceMs: number
  /** Returns the first time after another at which a sign of life is due, both in epoch milliseconds. */
  readonly times?: ((after: number) => number) | undefined
  /** Text of which `times` are made, to know them again: others count from their configuration on. */
  readonly cron?: string | undefined
  /** Time after one of `times` in which the sign of life may come. */
  readonly graceMs: number
  /** Longest time of a run. */
  readonly maxRunMs: number
}

export interface HeartbeatRules {
  /** By name. */
  readonly of: ReadonlyMap<string, HeartbeatRule>
  /** Incidents may be signs of life. */
  readonly listens: boolean
  readonly signsOfLife: SignsOfLife
}

export const NO_HEARTBEATS: HeartbeatRules = { of: new Map(), listens: false, signsOfLife: () => [] }
