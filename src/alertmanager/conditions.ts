import { RE2JS } from 're2js'
import { FIELDS } from '../policy/fields.ts'
import type { ConditionSettings } from '../policy/route.ts'
import type { SentMatcher } from '../policy/silences/settings.ts'

/** Matchers on labels of this name mean a field of an incident: `tocsin_service`. */
const PREFIX = 'tocsin_'
const LABELS = 'labels.'

/** Returns the conditions that mean the same as matchers, of which several may be on one label. */
export const conditionsOf = (matchers: readonly SentMatcher[]): ConditionSettings[] =>
  matchers.map((matcher) => ({ field: fieldOf(matcher.name), values: valuesOf(matcher), where: '' }))

function fieldOf(name: string): string {
  const field = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : ''
  return field === 'min_severity' || FIELDS.some((known) => known === field) ? field : LABELS + name
}

/** An expression that fits the empty text fits an absent label too, and is negated for absent ones alike. */
function valuesOf({ name, value, isRegex, isEqual }: SentMatcher): string[] {
  const not = isEqual ? '' : '!'
  if (fieldOf(name) === 'min_severity') return [not + value]
  return [not + (isRegex ? `/${value}/` : literal(value))]
}

const literal = (text: string) => (isPattern(text) ? `/${RE2JS.quote(text)}/` : text)
const isPattern = (text: string) =>
  /[*?]|^!/.test(text) || (text.length > 1 && text.startsWith('/') && text.endsWith('/'))

/** Returns matchers that mean the same as conditions; on fields with pseudo labels. */
export const matchersOf = (conditions: readonly Omit<ConditionSettings, 'where'>[]): SentMatcher[] =>
  conditions.map(({ field, values, exact = false }) => {
    const isEqual = exact || values[0]?.startsWith('!') !== true
    const wanted = isEqual ? values : values.map((value) => value.slice(1))
    const [only = ''] = wanted
    const name = labelNameOf(field)
    if (wanted.length === 1 && (exact || !isPattern(only))) return { name, value: only, isRegex: false, isEqual }
    const value = wanted.length === 1 ? expressionOf(only) : wanted.map((one) => `(?:${expressionOf(one)})`).join('|')
    return { name, value, isRegex: true, isEqual }
  })

/** Returns the label of a field or of a part of a group; payload paths get a name that every version can read. */
export function labelNameOf(field: string): string {
  if (field.startsWith(LABELS)) return field.slice(LABELS.length)
  return PREFIX + field.replace(/[^a-zA-Z0-9_]/g, '_')
}

function expressionOf(value: string): string {
  if (value.length > 1 && value.startsWith('/') && value.endsWith('/')) return value.slice(1, -1)
  return value.replace(/[*?]|[^*?]+/g, (part) => (part === '*' ? '.*' : part === '?' ? '.' : RE2JS.quote(part)))
}
