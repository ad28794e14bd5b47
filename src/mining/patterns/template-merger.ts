import { isCapitals, isErrorWord, isIdentifier, isLevel } from '../tokens/word-classes.ts'
import type { Template, TemplateToken } from './template.ts'

interface Member {
  readonly template: Template
  /** Number in order of creation. */
  readonly born: number
  /** Number of lines that it matched. */
  readonly lines: number
}

/**
 * Distinct values after which a token counts as variable: few identifiers, few names after a noun, more plain words, and most where the rest of
 * the message has fewer than two words, or where words in capitals are among them.
 */
const MIN_IDENTIFIERS = 3
const MIN_NAMES = 3
/** With at most this many lines, two names are enough: a place that was seen so rarely is no evidence of a constant. */
const FEW_LINES = 8
const MIN_WORDS = 6
const MIN_WORDS_IN_SHORT_MESSAGE = 12
const MIN_CAPITALS = 12
/** Tokens after this index are not compared; lines differ early. */
const COMPARED_TOKENS = 48
/** Most similar patterns kept in one group; later ones are not compared. */
const MAX_GROUP = 64
/** Units that stand for a wildcard, the skipped token and an identifier in the hash of a template. */
const WILDCARD_HASH = 1
const SKIPPED_HASH = 2
const IDENTIFIER_HASH = 3

/** Finds patterns that differ in a single token or only in identifiers, and decides which of them to merge. */
export class TemplateMerger<T extends Member> {
  /** Similar patterns by hash. Most groups have one member, which is stored without an array. */
  readonly #groups = new Map<number, T | T[]>()

  remove(member: T): void {
    for (const key of keysOf(member).values()) {
      const rest = this.#group(key).filter((each) => each !== member)
      const [only] = rest
      if (only === undefined) this.#groups.delete(key)
      else this.#groups.set(key, rest.length > 1 ? rest : only)
    }
  }

  /**
   * Adds a pattern. Returns the patterns to merge, oldest first and including it; an empty list when there are none.
   */
  add(member: T): T[] {
    const { tokens } = member.template
    const keys = keysOf(member)
    for (const key of keys.values()) this.#addToGroup(key, member)
    for (const [at, key] of keys) {
      if (at === tokens.length) continue
      const alike = this.#group(key).filter((each) => equalBut(each, tokens, at))
      const joined = mergeableAt(alike, at)
      if (joined.includes(member)) return joined.sort(byBirth)
    }
    const group = this.#group(keys.get(tokens.length) ?? 0)
    const alike = group.filter((each) => equalButIdentifiers(each, tokens))
    return alike.length >= MIN_IDENTIFIERS && hasPlainWord(member) ? alike.sort(byBirth) : []
  }

  #group(key: number): T[] {
    const group = this.#groups.get(key)
    return Array.isArray(group) ? group : group === undefined ? [] : [group]
  }

  #addToGroup(key: number, member: T): void {
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, member)
    else if (!Array.isArray(group)) this.#groups.set(key, [group, member])
    else if (group.length < MAX_GROUP) group.push(member)
  }
}

const byBirth = (a: Member, b: Member) => a.born - b.born

/** Returns the patterns to merge among those that are equal except for the token `at`. */
function mergeableAt<T extends Member>(members: readonly T[], at: number): T[] {
  const [first] = members
  if (!first || members.length < 2) return []
  const agreeing = agreeingWords(first.template, at)
  if (members.some(({ template }) => typeof template.tokens[at] === 'number')) return agreeing >= 2 ? [...members] : []
  const words = members.map(({ template }) => String(template.tokens[at]))
  if (words.filter(isIdentifier).length >= MIN_IDENTIFIERS) return [...members]
  if (words.some(isCapitals)) return members.length >= MIN_CAPITALS ? [...members] : []
  if (agreeing < 2) return members.length >= MIN_WORDS_IN_SHORT_MESSAGE ? [...members] : []
  if (!isNamePlace(first.template.tokens, at)) return members.length >= MIN_WORDS ? [...members] : []
  const lines = members.reduce((sum, member) => sum + member.lines, 0)
  return members.length >= MIN_NAMES || lines <= FEW_LINES ? [...members] : []
}

function wordsBut({ tokens }: Template, but: number): number {
  return tokens.filter((token, at) => at !== but && typeof token === 'string').length
}

const hasPlainWord = ({ template }: Member) =>
  template.tokens.some((token) => typeof token === 'string' && !isIdentifier(token))

function equalBut({ template }: Member, tokens: readonly TemplateToken[], but: number): boolean {
  return (
    template.tokens.length === tokens.length &&
    template.tokens.every((token, at) => at === but || spelling(token) === spelling(tokens[at]))
  )
}

function equalButIdentifiers({ template }: Member, tokens: readonly TemplateToken[]): boolean {
  return (
    template.tokens.length === tokens.length &&
    template.tokens.every((token, at) => spellingButIdentifiers(token) === spellingButIdentifiers(tokens[at]))
  )
}

const spelling = (token: TemplateToken | undefined) => (typeof token === 'number' ? WILDCARD_HASH : token)
const spellingButIdentifiers = (token: TemplateToken | undefined) => {
  if (typeof token !== 'string') return WILDCARD_HASH
  return isIdentifier(token) ? IDENTIFIER_HASH : token
}

/**
 * Returns the hash keys of a pattern: for each token index, the key shared by patterns that are equal except for that
 * token; for the number of tokens, the key shared by patterns that are equal except for identifiers. Error words and single
 * tokens get no key, so they are never merged.
 */
function keysOf({ template }: Member): Map<number, number> {
  const { tokens } = template
  const units = tokens.map((token) => (typeof token === 'string' ? hashText(token) : WILDCARD_HASH))
  const keys = new Map<number, number>()
  for (const [at, token] of tokens.slice(0, COMPARED_TOKENS).entries()) {
    const comparable = typeof token === 'number' || !isErrorWord(token)
    if (comparable && wordsBut(template, at) > 0) keys.set(at, hashUnits(units, at))
  }
  const identifiers = tokens.map((token, at) =>
    typeof token === 'string' && isIdentifier(token) ? IDENTIFIER_HASH : (units[at] ?? 0),
  )
  return keys.set(tokens.length, hashUnits(identifiers, tokens.length))
}

function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** Returns a hash of 53 bits. Collisions are harmless, because members of a group are compared token by token. */
function hashUnits(units: readonly number[], but: number): number {
  let high = Math.imul(0x811c9dc5 ^ but, 0x01000193)
  let low = Math.imul(0x9e3779b9 ^ but, 0x5bd1e995)
  for (let i = 0; i < units.length; i++) {
    const unit = i === but ? SKIPPED_HASH : (units[i] as number)
    high = Math.imul(high ^ unit, 0x01000193)
    high ^= high >>> 13
    low = Math.imul(low ^ unit, 0x5bd1e995)
    low ^= low >>> 15
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11)
}

const PREPOSITIONS = new Set('for of to from on in by with at as into under'.split(' '))
const THINGS = new Set(
  (
    'account bucket broker channel client cluster collection column container database device disk domain exchange group host index ' +
    'interface job key member namespace node partition peer pod pool principal queue region repository role schema service session ' +
    'shard stream table task tenant thread topic user vhost volume zone'
  ).split(' '),
)

/** Returns whether the token at `at` names a thing: it follows a preposition and a noun, as in `opened for user kim`. */
function isNamePlace(tokens: readonly TemplateToken[], at: number): boolean {
  const [preposition, thing] = [tokens[at - 2], tokens[at - 1]]
  return (
    typeof thing === 'string' && THINGS.has(thing) && typeof preposition === 'string' && PREPOSITIONS.has(preposition)
  )
}

/** A level after more tokens than this is part of the message. */
const MAX_LEVEL_INDEX = 5
/** Fewest values of a run that can be a date and a time. */
const MIN_STAMP_VALUES = 2

/**
 * Returns the number of words of a template without those of its header and without the token `but`. The header has the
 * time, host, level, thread and logger or program, as in `<*> INFO [<*>] shop.Cart: ` and `<*> <*> cron[<*>]: `; its words
 * are the same in many unrelated lines.
 */
export function agreeingWords(template: Template, but = -1): number {
  const { tokens } = template
  let words = 0
  for (let at = headerLength(template); at < tokens.length; at++)
    if (at !== but && typeof tokens[at] === 'string') words++
  return words
}

/** Returns the number of tokens of the header; 0 when the template has none. */
function headerLength({ tokens, separators }: Template): number {
  const level = tokens.slice(0, MAX_LEVEL_INDEX + 1).findIndex((token) => typeof token === 'string' && isLevel(token))
  const levelled = level >= 0 && tokens.slice(0, level).every(mayPrecedeLevel)
  if (!levelled && !isStamp(tokens[0])) return 0
  let at = levelled ? level + 1 : 1
  while (typeof tokens[at] === 'number') at++
  const logger = tokens[at]
  const ends = ENDS_HEADER.test(separators[at + 1] ?? '')
  return typeof logger === 'string' && (ends || (levelled && isIdentifier(logger))) ? at + 1 : at
}
const ENDS_HEADER = /^[\])]*(?::| -)/

const isStamp = (token: TemplateToken | undefined) => typeof token === 'number' && token >= MIN_STAMP_VALUES
const mayPrecedeLevel = (token: TemplateToken) => typeof token === 'number' || isIdentifier(token) || isCapitals(token)
