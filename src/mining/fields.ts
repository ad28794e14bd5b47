import { isoTime } from '../text/iso-time.ts'
import { isObject } from '../text/json-object.ts'

/** An object of a stored file, with fields that were not checked. The functions below read single fields. */
export interface Fields {
  readonly [field: string]: unknown
}

export function asFields(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns a finite number of zero or more; 0 for any other value. */
export function asAmount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** Returns epoch milliseconds of an ISO 8601 time. */
export function asTime(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

const LAST_MS = 8.64e15

/** Returns ISO 8601. Returns `written` when it denotes the same time, so that stored texts do not change. */
export function timeText(ms: number, written?: unknown): string {
  if (typeof written === 'string' && Date.parse(written) === ms) return written
  return isoTime(Math.min(Math.max(ms, -LAST_MS), LAST_MS))
}
