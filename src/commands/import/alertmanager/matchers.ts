import type { Path } from '../../../config/config-error.ts'
import { isObject, type JsonObject } from '../../../text/json-object.ts'
import { plain } from '../receivers.ts'

/** Conditions by field, each with one value. */
export type Match = { readonly [field: string]: string }

type Note = (path: Path, message: string) => void

/** A place of the file, and what takes notes. */
export interface At {
  readonly path: Path
  readonly note: Note
}

const MATCHER = /\s*([A-Za-z_][\w.]*)\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}]*))\s*/y

/** Keys of the conditions of a route; those of an inhibition rule begin with `source_` or `target_`. */
type Prefix = '' | 'source_' | 'target_'

/** Returns the conditions of a route; undefined when one cannot be read or has no counterpart, which is noted. */
export function matchOf(route: JsonObject, { path, note }: At, prefix: Prefix = ''): Match | undefined {
  const match: { [field: string]: string } = {}
  const add = (label: string, operator: string, value: string): boolean => {
    const field = `labels.${label}`
    if (match[field] !== undefined) return false
    match[field] = conditionOf(operator, value)
    return true
  }
  const refused = (key: string) => void note([...path, `${prefix}${key}`], 'has no counterpart: write the rule by hand')
  for (const [key, operator] of [
    ['match', '='],
    ['match_re', '=~'],
  ] as const)
    for (const [label, value] of entriesOf(route[`${prefix}${key}`]))
      if (!add(label, operator, String(value))) return refused(key)
  for (const text of textsOf(route[`${prefix}matchers`])) {
    MATCHER.lastIndex = 0
    do {
      const found = MATCHER.exec(text)
      if (found === null) return refused('matchers')
      const [, label = '', operator = '', quoted, bare = ''] = found
      const value = quoted === undefined ? bare.trim() : quoted.replace(/\\(["\\])/g, '$1')
      if (!add(label, operator, value)) return refused('matchers')
    } while (text[MATCHER.lastIndex] === ',' && ++MATCHER.lastIndex < text.length)
    if (MATCHER.lastIndex < text.length) return refused('matchers')
  }
  return match
}

/** Returns a condition of a rule. Texts with characters that mean something there become regular expressions. */
function conditionOf(operator: string, value: string): string {
  const isPattern = operator.endsWith('~')
  const literal = /[*?!/]/.test(value) ? `/${value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/` : value
  return `${operator.startsWith('!') ? '!' : ''}${plain(isPattern ? `/${value}/` : literal)}`
}

const entriesOf = (value: unknown) => Object.entries(isObject(value) ? value : {})

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).map((each) => String(each).replace(/^\s*\{|\}\s*$/g, ''))
