import type { ChannelName, DeliveryState } from '../../domain/delivery/delivery.ts'
import { CodedError } from '../../domain/errors.ts'
import type { Source, Status } from '../../domain/incident.ts'
import type { Parameter } from '../engine/sql.ts'

const MAX_PAGE = 500
/** The size of a page: `limit` as a whole number from 1 to 500. */
export const pageSize = (limit: number) => Math.min(Math.max(1, Math.trunc(limit)), MAX_PAGE)

interface Page {
  /** Bounded by `pageSize`. */
  readonly limit: number
  /** `next_cursor` of the previous page. */
  readonly cursor?: string
}

/**
 * Ways in which an incident was notified:
 *
 *     message   in a message of its own
 *     digest    in a digest
 *     nobody    its route leads nowhere
 *     waiting   not yet, to one of its destinations
 *     silenced  a silence held it from one of its destinations, or does
 */
export const NOTIFIED = ['message', 'digest', 'nobody', 'waiting', 'silenced'] as const

export interface IncidentFilter extends Page {
  /** Search words; syntax of `parseSearchQuery`. */
  readonly q?: string
  readonly status?: Status
  readonly severity?: string
  readonly service?: string
  readonly channel?: ChannelName
  readonly source?: Source
  readonly notified?: (typeof NOTIFIED)[number]
  /** Name of a rule that matched. */
  readonly rule?: string
  /** Number of a digest. */
  readonly digest?: number
}

export interface DeliveryFilter extends Page {
  readonly state?: DeliveryState
  readonly channel?: ChannelName
}

/** Dead deliveries, all or those of a channel, of one incident or to one destination. */
export interface ReplayFilter {
  readonly state: 'dead'
  readonly channel?: ChannelName
  /** Id of an incident. */
  readonly id?: string
  /** Null: the default destination. */
  readonly target?: string | null
}

/** Reads a cursor that is a number; `first`: that of the first page. Throws `bad_parameter`. */
export function numberIn(cursor: string | undefined, first = Number.MAX_SAFE_INTEGER): number {
  if (cursor === undefined) return first
  if (!/^\d{1,15}$/.test(cursor)) throw new CodedError('bad_parameter', 'cursor must be the next_cursor of an answer')
  return Number(cursor)
}

/** A condition of a statement with its parameters; false: its filter is not given. */
type Condition = readonly [clause: string, ...Parameter[]] | false

export type Where = ReturnType<typeof whereOf>

/** Returns the conditions that are given, and all their parameters in order. */
export function whereOf(...conditions: readonly Condition[]) {
  const given = conditions.filter((each) => each !== false)
  return { clauses: given.map(([clause]) => clause), parameters: given.flatMap(([, ...parameters]) => parameters) }
}

/** Cuts rows, of which one more than the size of a page was read. `last`: of the page, if there is a next one. */
export function pageOf<Row>(
  rows: readonly Row[],
  size: number,
): { readonly page: Row[]; readonly last: Row | undefined } {
  const page = rows.slice(0, size)
  return { page, last: rows.length > size ? page.at(-1) : undefined }
}
