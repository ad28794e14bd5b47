import { graphemeStart } from '../../../text/graphemes.ts'
import type { Escaper } from '../../text/escape.ts'
import { goText, limitOutput } from '../go-format.ts'
import { type GoMap, isMap, Markup, numeric, stringIn, typeName } from '../values.ts'
import { plainJson } from './collections.ts'
import { HelperFault } from './fault.ts'
import { text, trim, wholeEntities } from './strings.ts'

/** Any value as a person reads it: text trimmed, members of a list with commas between them, a map as JSON. */
export function show(value: unknown): string {
  if (typeof value === 'string') return trim(value)
  if (Array.isArray(value)) return members(value)
  return isMap(value) ? plainJson(value) : trim(goText(value))
}

function members(list: readonly unknown[]): string {
  let shown = ''
  list.forEach((member, at) => {
    shown = limitOutput(`${shown}${at === 0 ? '' : ', '}${show(member)}`)
  })
  return shown
}

const BREAK = /[\n\r\u2028\u2029]/
const BLANKS = /\s+/g

/** The value as `show` gives it, on one line; of more than `most` UTF-16 units the beginning, with … at its end. */
export function oneLine({ mark }: Escaper): (value: unknown, most?: unknown) => unknown {
  return (value, most) => {
    const shown = show(value)
    const line = BREAK.test(shown) ? shown.replace(BLANKS, (run) => (BREAK.test(run) ? ' ' : run)) : shown
    const kept = beginning(line, most)
    return value instanceof Markup ? mark(ended(wholeEntities(kept, line), line)) : ended(kept, line)
  }
}

const ended = (kept: string, line: string) => (kept === line ? line : `${kept.trimEnd()}…`)

function beginning(line: string, most: unknown): string {
  if (most === undefined) return line
  const length = numeric(most)
  if (length === undefined) throw new HelperFault(`oneLine expects a number, got ${typeName(most)}`)
  return line.length <= length ? line : graphemeStart(line, Math.max(0, Number(length) - 1))
}

const ADDRESS = /^https?:\/\/[^\s<>"]+$/

/** Whether the value is an address of the web that is safe to put into a link. */
export const isUrl = (value: unknown): boolean => ADDRESS.test(stringIn(value) ?? '')

const KINDS: { readonly [type: string]: string } = {
  '<nil>': 'invalid',
  '[]interface {}': 'slice',
  'map[string]interface {}': 'map',
  'time.Time': 'struct',
}

/** `kindIs "map" .labels`: the kind that Go's reflection names, `invalid` for an absent value. */
export function kindIs(kind: unknown, value: unknown): boolean {
  const type = typeName(value)
  return (KINDS[type] ?? type) === text(kind)
}

/** The map without these keys; what is no map has none. */
export function omit(map: unknown, ...keys: readonly unknown[]): GoMap {
  const rest: GoMap = Object.create(null)
  if (!isMap(map)) return rest
  const left = new Set(keys.map(goText))
  for (const key of Object.keys(map)) if (!left.has(key)) rest[key] = map[key]
  return rest
}
