import type { LocalMs } from './settings.ts'

const DATE_TIME = /^(20\d\d-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d))?$/

/** Returns the time of `2026-01-05T09:00`, or of a date its midnight; undefined for what the calendar has not. */
export function localOf(written: string): LocalMs | undefined {
  const [, date, time = '00:00'] = DATE_TIME.exec(written) ?? []
  const local = date === undefined ? Number.NaN : Date.parse(`${date}T${time}Z`)
  return !Number.isNaN(local) && localText(local).startsWith(date ?? '') ? local : undefined
}

/** Returns `2026-01-05 09:00`. */
export const localText = (local: LocalMs) => new Date(local).toISOString().slice(0, 16).replace('T', ' ')
