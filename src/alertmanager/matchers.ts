import { RE2JS } from 're2js'
import type { SentMatcher } from '../policy/silences/settings.ts'
import { unquote } from './quoted.ts'

/** Labels by name. */
interface Labels {
  readonly [name: string]: string
}

/** Returns whether labels fit; an absent label counts as an empty text. Never throws. */
export type FitLabels = (labels: Labels) => boolean

/** Compiles matchers, all of which have to fit. Throws for a regular expression that RE2 refuses. */
export function compileMatchers(matchers: readonly SentMatcher[]): FitLabels {
  const tests = matchers.map(({ name, value, isRegex, isEqual }) => {
    const matches = isRegex ? anchored(value) : (text: string) => text === value
    return (labels: Labels) => matches(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '') === isEqual
  })
  return (labels) => tests.every((test) => test(labels))
}

/** Returns whether a silence with this matcher alone would be refused. Throws for a regular expression that RE2 refuses. */
export function matchesEmpty({ value, isRegex, isEqual }: SentMatcher): boolean {
  const fitsEmpty = isRegex ? RE2JS.compile(value).test('') : value === ''
  return isEqual && fitsEmpty
}

/** Compiles an expression that has to match a whole text. Throws when RE2 refuses it. */
export function anchored(expression: string): (text: string) => boolean {
  const compiled = RE2JS.compile(`^(?:${expression})$`)
  return (text) => compiled.test(text)
}

/**
 * Parses one matcher, such as `alertname="Disk full"` or `"k8s.pod"=~db-.+`, by the grammar for UTF-8 names, else by the
 * classic one, which also decides where both take a text and read it differently. Throws an error that quotes the text.
 */
export function parseMatcher(text: string): SentMatcher {
  if (text.startsWith('{') || text.endsWith('}')) throw new Error(`unexpected open or close brace: ${text}`)
  const classic = classicMatcher(text)
  const modern = checked(modernMatcher(text))
  if (modern !== undefined && (typeof classic === 'string' || checked(classic) === undefined)) return modern
  if (typeof classic === 'string') throw new Error(classic)
  compileMatchers([classic])
  return classic
}

/** Returns undefined for one whose expression RE2 refuses. */
function checked(matcher: SentMatcher | undefined): SentMatcher | undefined {
  try {
    if (matcher !== undefined) compileMatchers([matcher])
    return matcher
  } catch {
    return undefined
  }
}

const CLASSIC = /^[\t\n\f\r ]*([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|=|!=|!~)[\t\n\f\r ]*([\s\S]*?)[\t\n\f\r ]*$/

/** Returns the matcher, or why there is none. A backslash that escapes nothing stands for itself. */
function classicMatcher(text: string): SentMatcher | string {
  const [, name, operator, raw] = CLASSIC.exec(text) ?? []
  if (name === undefined || operator === undefined || raw === undefined) return `bad matcher format: ${text}`
  const isQuoted = raw.startsWith('"')
  const inner = /^(?:[^"\\]|\\[\s\S]|\\$)*/.exec(isQuoted ? raw.slice(1) : raw)?.[0] ?? ''
  if (raw !== (isQuoted ? `"${inner}"` : inner)) return `matcher value contains unescaped double quote: ${raw}`
  return matcherOf(name, operator, inner.replace(/\\([n"\\])/g, unescaped))
}

const unescaped = (_: string, escaped: string) => (escaped === 'n' ? '\n' : escaped)

const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const RESERVED = `\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000{}!=~,\\\\"'\``
const TOKEN = new RegExp(`${SPACE}*(?:([{},]|!=|!~|=~|=)|("(?:[^"\\\\]|\\\\[\\s\\S])*")|([^${RESERVED}]+)|$)`, 'uy')

/** Returns undefined for a text that is not one matcher, with one comma behind it and braces around it at most. */
function modernMatcher(text: string): SentMatcher | undefined {
  const tokens = tokensOf(text)
  if (tokens === undefined) return undefined
  const isBraced = tokens[0]?.mark === '{'
  if (isBraced !== (tokens.at(-1)?.mark === '}')) return undefined
  const inner = isBraced ? tokens.slice(1, -1) : tokens
  const [name, operator, value, comma, ...rest] = inner
  if (name?.text === undefined || value?.text === undefined || !/[=~]/.test(operator?.mark ?? '')) return undefined
  if (rest.length > 0 || (comma !== undefined && comma.mark !== ',')) return undefined
  return matcherOf(name.text, operator?.mark ?? '', value.text)
}

/** `operator`: `=`, `!=`, `=~` or `!~`. */
const matcherOf = (name: string, operator: string, value: string): SentMatcher => ({
  ...{ name, value, isRegex: operator.endsWith('~'), isEqual: !operator.startsWith('!') },
})

export function operatorOf({ isRegex, isEqual }: Pick<SentMatcher, 'isRegex' | 'isEqual'>): string {
  if (isRegex) return isEqual ? '=~' : '!~'
  return isEqual ? '=' : '!='
}

interface Token {
  readonly mark?: string | undefined
  readonly text?: string | undefined
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)
    if (found === null) return undefined
    const [, mark, quoted, plain] = found
    const unquoted = quoted === undefined ? plain : unquote(quoted)
    if (quoted !== undefined && unquoted === undefined) return undefined
    if (mark !== undefined || unquoted !== undefined) tokens.push({ mark, text: unquoted })
  }
  return tokens
}
