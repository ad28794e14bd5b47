import { isObject } from '../text/json-object.ts'

/** Reading of stored entries, which may hold anything. */
export interface Fields {
  readonly [field: string]: unknown
}

export function asFields(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A number that is no less than zero. */
export function asAmount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** Epoch milliseconds of an ISO 8601 time. */
export function asTime(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

const LAST_MS = 8.64e15

/** ISO 8601; a text that was `written` for the same moment is kept as it is. */
export function timeText(ms: number, written?: unknown): string {
  if (typeof written === 'string' && Date.parse(written) === ms) return written
  return new Date(Math.min(Math.max(ms, -LAST_MS), LAST_MS)).toISOString()
}
