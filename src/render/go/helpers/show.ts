import { graphemeStart } from '../../../text/graphemes.ts'
import type { Escaper } from '../../text/escape.ts'
import { checkedText, goText } from '../go-format.ts'
import { HelperError, isMap, Markup, numeric, stringIn, typeName } from '../values.ts'
import { plainJson } from './collections.ts'
import { trim, wholeEntities } from './strings.ts'

/** Returns the readable text of any value: text trimmed, list members separated by commas, a map as JSON. */
export function show(value: unknown): string {
  if (typeof value === 'string') return trim(value)
  if (Array.isArray(value)) return listText(value)
  return isMap(value) ? plainJson(value) : trim(goText(value))
}

function listText(list: readonly unknown[]): string {
  let shown = ''
  list.forEach((member, at) => {
    shown = checkedText(`${shown}${at === 0 ? '' : ', '}${show(member)}`)
  })
  return shown
}

const BREAK = /[\n\r\u2028\u2029]/
const BLANKS = /\s+/g

/** Returns the text of `show` on one line; cut to `maxLength` UTF-16 units with … at its end. */
export function oneLine({ mark }: Escaper, value: unknown, maxLength?: unknown): unknown {
  const shown = show(value)
  const line = BREAK.test(shown) ? shown.replace(BLANKS, (run) => (BREAK.test(run) ? ' ' : run)) : shown
  const kept = cutStart(line, maxLength)
  return value instanceof Markup ? mark(withEllipsis(wholeEntities(kept, line), line)) : withEllipsis(kept, line)
}

const withEllipsis = (kept: string, line: string) => (kept === line ? line : `${kept.trimEnd()}…`)

function cutStart(line: string, maxLength: unknown): string {
  if (maxLength === undefined) return line
  const length = numeric(maxLength)
  if (length === undefined) throw new HelperError(`oneLine expects a number, got ${typeName(maxLength)}`)
  return line.length <= length ? line : graphemeStart(line, Math.max(0, Number(length) - 1))
}

const ADDRESS = /^https?:\/\/[^\s<>"]+$/

/** Returns whether the value is an http(s) address that is safe in a link. */
export const isUrl = (value: unknown): boolean => ADDRESS.test(stringIn(value) ?? '')
