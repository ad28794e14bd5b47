import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { inert as inertText } from '../../text/escape.ts'
import { checkedText, checkLength, goText, MAX_TEXT_LENGTH } from '../go-format.ts'
import { isPrintable } from '../go-quote.ts'
import { HelperError, isInteger, isMap, numeric, typeName } from '../values.ts'

/** Returns the text of a scalar; '' for an absent value. Throws `HelperError` for lists and maps. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) || isMap(value)) throw new HelperError(`expected a string, got ${typeName(value)}`)
  return goText(value)
}

/** Characters whose case mapping differs: JavaScript uses the full mapping, Go the simple one. */
const SPECIAL_CASE = /[ßŉİΣǰΐΰև\u1e96-\u1e9a\u1f50-\u1fff\ufb00-\ufb17]/

/** An HTML entity, whose case must not change. */
const ENTITY = /(&(?:#\d+|\w+);)/

const eachCharacter = (value: string, change: (character: string) => string) =>
  [...value].map((character) => {
    const changed = change(character)
    return [...changed].length === 1 ? changed : [...changed][0] === 'i' ? 'i' : character
  })

function changeCase(value: string, change: (text: string) => string): string {
  return SPECIAL_CASE.test(value) ? eachCharacter(value, change).join('') : change(value)
}

export const upper = (value: unknown): string => changeCase(text(value), (part) => part.toUpperCase())
export const lower = (value: unknown): string => changeCase(text(value), (part) => part.toLowerCase())

/** A word: a dot or an apostrophe between two letters belongs to it. */
const WORD = /[\p{L}\p{M}\p{N}_]+(?:[.'’](?=\p{L})(?<=\p{L}.)[\p{L}\p{M}\p{N}_]+)*/gu
const CASED = /[\p{Lu}\p{Ll}\p{Lt}]/u

/** Changes the first letter of every word to upper case, and the others to lower case. */
export function title(value: unknown): string {
  return text(value).replace(WORD, (word) => {
    const [first = ''] = CASED.exec(word) ?? []
    const end = word.indexOf(first) + first.length
    return upper(word.slice(0, end)) + lower(word.slice(end))
  })
}

/** Wraps a change of case so that it leaves HTML entities unchanged. */
export const keepEntities = (change: (value: unknown) => string) => (value: unknown) => {
  const subject = text(value)
  if (!subject.includes('&')) return change(subject)
  const parts = subject.split(ENTITY)
  return parts.map((part, at) => (at % 2 === 1 ? part : change(part))).join('')
}

export function replaceAll(value: unknown, from: unknown, to: unknown): string {
  const [subject, old, fresh] = [text(value), text(from), text(to)]
  const grown = subject.length + (subject.length / Math.max(1, old.length) + 1) * fresh.length
  if (grown > MAX_TEXT_LENGTH) checkLength(grownBy(subject, old, fresh))
  if (old !== '') return subject.replaceAll(old, () => fresh)
  return fresh + [...subject].map((character) => character + fresh).join('')
}

function grownBy(subject: string, old: string, fresh: string): number {
  const times = old === '' ? [...subject].length + 1 : subject.split(old).length - 1
  return subject.length + times * (fresh.length - old.length)
}

/** Returns whether a text contains the piece, or a list has such a member. */
export function contains(value: unknown, piece: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => goText(item) === goText(piece))
  return text(value).includes(text(piece))
}

export function split(value: unknown, separator: unknown): string[] {
  const [subject, by] = [text(value), text(separator)]
  return by === '' ? [...subject] : subject.split(by)
}

export function join(list: unknown, separator: unknown): string {
  if (list === null || list === undefined) return ''
  if (!Array.isArray(list)) throw new HelperError(`join expects a list, got ${typeName(list)}`)
  const by = text(separator)
  let joined = ''
  list.forEach((item, at) => {
    joined = checkedText(joined + (at === 0 ? '' : by) + goText(item))
  })
  return joined
}

const isWhite = (text: string, at: number) => WHITE.test(text.charAt(at))
/** White space as in Go, and the byte order mark. */
const WHITE = /[\s\u0085]/

/** Tells printable ASCII characters; most texts begin and end with one. */
const isSolid = (code: number) => code > 0x20 && code < 0x7f

/**
 * Removes white space at both ends. Scans from the ends, because a regular expression takes quadratic time on long runs
 * of blanks.
 */
export const trim = (value: unknown): string => {
  const subject = text(value)
  if (isSolid(subject.charCodeAt(0)) && isSolid(subject.charCodeAt(subject.length - 1))) return subject
  let [from, to] = [0, subject.length]
  while (from < to && isWhite(subject, from)) from++
  while (to > from && isWhite(subject, to - 1)) to--
  return subject.slice(from, to)
}

export function trimPrefix(value: unknown, prefix: unknown): string {
  const [subject, start] = [text(value), text(prefix)]
  return subject.startsWith(start) ? subject.slice(start.length) : subject
}

export function trimSuffix(value: unknown, suffix: unknown): string {
  const [subject, end] = [text(value), text(suffix)]
  return end !== '' && subject.endsWith(end) ? subject.slice(0, -end.length) : subject
}

export const hasPrefix = (prefix: unknown, value: unknown): boolean => hasAffix(value, prefix, 'startsWith')
export const hasSuffix = (suffix: unknown, value: unknown): boolean => hasAffix(value, suffix, 'endsWith')

const hasAffix = (value: unknown, piece: unknown, how: 'startsWith' | 'endsWith') => text(value)[how](text(piece))

/** For text in code, because some readers of Markdown interpret tags and links there. */
export const inert = (value: unknown): string => inertText(text(value))

/** Cuts a text to a number of code points. */
export function truncate(value: unknown, length: unknown): string {
  const number = numeric(length)
  if (number === undefined) throw new HelperError(`truncate expects a number, got ${typeName(length)}`)
  const subject = text(value)
  const count = Math.max(0, Math.trunc(Number(number)))
  return subject.length <= count ? subject : [...subject.slice(0, count * 2)].slice(0, count).join('')
}

/** Removes an HTML entity that was cut. */
export function wholeEntities(cut: string, full: string): string {
  const tail = /&[#\w]*$/.exec(cut)
  return tail && /^[#\w]*;/.test(full.slice(cut.length)) ? cut.slice(0, tail.index) : cut
}

/** Returns the sum of numbers; other values are concatenated as text. */
export function add(...values: readonly unknown[]): unknown {
  const numbers = values.map(numeric)
  if (numbers.every((number) => number !== undefined)) return sum(numbers)
  return checkedText(values.map(goText).join(''))
}

function sum(numbers: readonly (number | bigint)[]): number | bigint {
  let total = 0
  for (const number of numbers) total += Number(number)
  if (Number.isSafeInteger(total) || !numbers.every(isInteger)) return total
  return numbers.reduce<bigint>((so, number) => so + BigInt(number), 0n)
}

const JS: { readonly [character: string]: string } = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
}

/** Equals Go's template.JSEscapeString. */
export function escapeJs(text: string): string {
  return text.toWellFormed().replace(/[\\'"<>&=\0-\x1f]|[^\x20-\x7e]/gu, (character) => {
    const known = JS[character]
    if (known !== undefined) return known
    const point = character.codePointAt(0) ?? 0
    if (point >= 0x80 && isPrintable(character)) return character
    return `\\u${point.toString(16).toUpperCase().padStart(4, '0')}`
  })
}

/** Equals Go's url.QueryEscape. */
export function escapeQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

const MAX_PATTERN_LENGTH = 1000
/** Values without a pattern that parses are kept too. */
const compiled = new LRUCache<string, { readonly expression: RE2JS | null }>({ max: 200 })

/**
 * Returns whether the pattern (RE2 syntax) matches anywhere in the text. Takes linear time. A pattern that does not parse
 * matches nothing.
 */
export function regexMatch(pattern: unknown, value: unknown): boolean {
  return compile(text(pattern))?.test(text(value)) ?? false
}

function compile(pattern: string): RE2JS | null {
  const known = compiled.get(pattern)
  if (known) return known.expression
  if (pattern.length > MAX_PATTERN_LENGTH) throw new HelperError(`a pattern may have ${MAX_PATTERN_LENGTH} characters`)
  const expression = parsed(pattern)
  compiled.set(pattern, { expression })
  return expression
}

function parsed(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return null
  }
}
