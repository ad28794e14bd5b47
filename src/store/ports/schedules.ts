import type { ApiOverride, CalendarShift, ShiftNow } from '../../policy/oncall/calendar.ts'
import type { Span } from '../../policy/oncall/settings.ts'

export type NewOverride = Omit<ApiOverride, 'id'>

/** Times are epoch milliseconds. `until` of one that was ended early is its end. */
export interface StoredOverride extends ApiOverride {
  readonly madeAt: number
  /** Absent: it was not ended early. */
  readonly endedAt?: number
  readonly endedBy?: string
}

/** A schedule at the time of the question. */
export interface ScheduleNow {
  readonly name: string
  readonly now: ShiftNow
  /** Absent: the shift has no end. */
  readonly next?: CalendarShift
  /** The first stretch of the next 30 days without a person; absent: there is none. */
  readonly gap?: Span
}

/** A shift of the past is as it was when it ran, whatever the configuration says now. */
export type KnownShift = CalendarShift & { readonly recorded?: true }
