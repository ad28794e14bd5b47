/** Local date and time of some time zone, as the epoch milliseconds of the same date and time in UTC. */
export type LocalMs = number

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const WEEK_MS = 7 * DAY_MS

/** The member that leaves its turn to the layers below, and the person of an override that makes a gap. */
export const NOBODY = 'nobody'

/** Half open, in epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly until: number
}

/** Length of the turns of a layer, on the calendar. */
export interface Every {
  readonly count: number
  readonly unit: 'hour' | 'day' | 'week' | 'month'
}

/** A part of each week, in milliseconds from Monday 00:00; `until` is above `from`, by a week at most. */
export interface OnDuty {
  readonly from: number
  readonly until: number
}

/** A list of members, in force from the first handover on or after its date. */
export interface Edition {
  readonly date: LocalMs
  /** Keys of people, or `nobody`. At least one. */
  readonly members: readonly string[]
}

/** A rotation and the times of the week in which it counts. */
export interface OncallLayer {
  readonly name: string
  /** Place in the file. */
  readonly where: string
  /** The first handover. */
  readonly start: LocalMs
  readonly until?: LocalMs
  readonly every: Every
  /** Empty: always. */
  readonly on: readonly OnDuty[]
  /** `on_duty`: a turn without a minute inside `on` is no member's turn. */
  readonly turns: 'calendar' | 'on_duty'
  /** By date; the first has the date of the start. */
  readonly editions: readonly Edition[]
}

export interface Override {
  readonly id: string
  /** Place in the file. */
  readonly where: string
  readonly from: LocalMs
  readonly until: LocalMs
  readonly person: string
  /** Only the minutes that would be this person's are covered. */
  readonly insteadOf?: string
  readonly by: string
  readonly reason: string
}

export interface OncallSchedule {
  /** Place in the file. */
  readonly where: string
  /** IANA name. */
  readonly timeZone: string
  readonly gaps: 'forbidden' | 'allowed'
  /** The first that has a person decides. */
  readonly layers: readonly OncallLayer[]
  /** Of two that overlap the later one of the list wins. */
  readonly overrides: readonly Override[]
}
export type OncallSchedules = ReadonlyMap<string, OncallSchedule>
