import { charClassOf, isDigit, isUpper, LETTER } from './char-classes.ts'

const three = (name: string) => pack(name, 0)
const MONTHS = byThree('January February March April May June July August September October November December Sept')
const DAYS = byThree('Monday Tuesday Wednesday Thursday Friday Saturday Sunday')
const NAMES = new Map([...MONTHS, ...DAYS])
/** 1 for the first letters of months and days, by ASCII code. */
const INITIALS = Uint8Array.from({ length: 128 }, (_, code) => Number('JFMASONDTW'.includes(String.fromCharCode(code))))
const ZONES = new Set(
  'UTC GMT CET CEST EST EDT CST CDT MST MDT PST PDT IST JST BST MSK EET EEST WET WEST AM PM'.split(' '),
)

/** Returns whether the word from `start` to `end` is a month or weekday of a date, or a zone or AM/PM after a time. */
export function isDateWord(text: string, start: number, end: number, afterValue: boolean): boolean {
  const initial = text.charCodeAt(start)
  if (!isUpper(initial)) return false
  const known = INITIALS[initial] === 1 && end - start >= 3
  const code = known ? pack(text, start) : 0
  const name = known ? NAMES.get(code) : undefined
  if (name === undefined) return afterValue && isZone(text, start, end)
  const length = end - start
  if (length !== 3 && !(length === name.length && text.startsWith(name, start))) return false
  const next = afterGap(text, end)
  if (next === end) return false
  const digits = digitsAt(text, next)
  if (digits > 0) return digits <= 2 || (digits === 4 && afterValue)
  if (MONTHS.has(code) || !MONTHS.has(pack(text, next))) return false
  return isDateWord(text, next, next + 3, afterValue)
}

function isZone(text: string, start: number, end: number): boolean {
  return end - start <= 4 && ZONE_ENDS.includes(text.charCodeAt(end - 1)) && ZONES.has(text.slice(start, end))
}
const ZONE_ENDS = Array.from('CMT', (letter) => letter.charCodeAt(0))

/**
 * Returns the index of the host in a syslog header `Mon dd hh:mm:ss host tag:` (RFC 3164) at `start`; -1 when there is
 * none.
 */
export function hostAfterTimestamp(text: string, start: number): number {
  SYSLOG.lastIndex = start
  return SYSLOG.test(text) ? SYSLOG.lastIndex : -1
}
const SYSLOG = /[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d (?=[^\s]{1,255} [^\s:[]{1,255}[:[])/y

function byThree(names: string): ReadonlyMap<number, string> {
  return new Map(names.split(' ').map((name) => [three(name), name]))
}

/** Packs three letters into one number. */
function pack(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) ^ (text.charCodeAt(at + 1) << 8) ^ text.charCodeAt(at + 2)
}

/** Returns the index after blanks, commas, dots and dashes. */
function afterGap(text: string, at: number): number {
  let next = at
  while (next < text.length && ' ,.-'.includes(text.charAt(next))) next++
  return next
}

/** Returns the number of digits at `at`; 0 when letters follow them, as in `May 2nd`. */
function digitsAt(text: string, at: number): number {
  let end = at
  while (isDigit(text.charCodeAt(end))) end++
  return charClassOf(text.charCodeAt(end)) === LETTER ? 0 : end - at
}
