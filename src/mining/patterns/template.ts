import { copyString } from '../copy-string.ts'
import { UNIT, VALUE } from '../tokens/piece-kind.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'

const WILDCARD = '<*>'
/** Most values of a run that count for the capacity of its wildcard. */
const MAX_RUN_VALUES = 8
const DIGITS = '\u0002'

/** A word with its digits masked, or the capacity of a wildcard: the number of tokens of a line that it may match. */
export type TemplateToken = string | number

/**
 * The tokens that a pattern matches, and its text. `separators` surround the token texts: one more than there are
 * tokens.
 */
export interface Template {
  readonly text: string
  readonly tokens: readonly TemplateToken[]
  readonly tokenTexts: readonly string[]
  readonly separators: readonly string[]
}

export const EMPTY_TEMPLATE: Template = { text: '', tokens: [], tokenTexts: [], separators: [''] }

/** Returns the template of the line that the tokenizer read: words, and wildcards for values. */
export function templateOfLine(tokenizer: Tokenizer): Template {
  const tokenTexts: string[] = []
  const separators: string[] = []
  const values: number[] = []
  let inRun = false
  let last = 0
  for (let piece = 0; piece < tokenizer.pieceCount; piece++) {
    const index = tokenizer.tokenOfPiece[piece] as number
    const gap = tidy(tokenizer.text.slice(last, tokenizer.starts[piece]))
    const text =
      tokenizer.kinds[piece] === VALUE ? WILDCARD : tokenizer.text.slice(tokenizer.starts[piece], tokenizer.ends[piece])
    const isValue = tokenizer.kinds[piece] === VALUE || tokenizer.kinds[piece] === UNIT
    if (index < tokenTexts.length) {
      tokenTexts[index] += gap + text
      // A word in a run begins a repetition of the tokens before.
      inRun &&= isValue
    } else {
      separators.push(gap)
      tokenTexts.push(text)
      inRun = isValue
    }
    if (inRun) values[index] = (values[index] ?? 0) + 1
    last = tokenizer.ends[piece] as number
  }
  separators.push(tidy(tokenizer.text.slice(last, tokenizer.end)))
  const tokens = tokenizer
    .words()
    .map((word, index) => (word === undefined ? Math.min(values[index] ?? 1, MAX_RUN_VALUES) : copyString(word)))
  const own = tokenTexts.map((text, index) => ownText(text, tokens[index]))
  return template(tokens, own, separators)
}

/**
 * Returns a template that matches what all of them match. All must have the same number of tokens. Tokens that differ
 * become wildcards; where only digits differ, only these do.
 */
export function mergeTemplates(first: Template, others: readonly Template[]): Template {
  const all = [first, ...others]
  const tokens = first.tokens.map((_, i) => mergeToken(all.map((each) => each.tokens[i] ?? 1)))
  const tokenTexts = tokens.map((token, i) => {
    const text = first.tokenTexts[i] ?? WILDCARD
    if (all.every((each) => each.tokens[i] === first.tokens[i] && each.tokenTexts[i] === text)) return text
    return typeof token === 'string' ? token.replaceAll(DIGITS, WILDCARD) : WILDCARD
  })
  return same(tokens, first.tokens) && same(tokenTexts, first.tokenTexts)
    ? first
    : mergeWildcards(tokens, tokenTexts, first.separators)
}

function mergeToken(tokens: readonly TemplateToken[]): TemplateToken {
  const [first = 1] = tokens
  if (typeof first === 'string' && tokens.every((token) => token === first)) return first
  return Math.max(...tokens.map((token) => (typeof token === 'number' ? token : 1)))
}

/** Merges adjacent wildcards into one with the sum of their capacities. */
function mergeWildcards(
  tokens: readonly TemplateToken[],
  tokenTexts: readonly string[],
  separators: readonly string[],
): Template {
  const joined: { tokens: TemplateToken[]; tokenTexts: string[]; separators: string[] } = {
    tokens: [],
    tokenTexts: [],
    separators: [],
  }
  tokens.forEach((token, i) => {
    const last = joined.tokens.length - 1
    const before = joined.tokens[last]
    if (typeof token === 'number' && typeof before === 'number') {
      joined.tokens[last] = before + token
      joined.tokenTexts[last] += `${separators[i]}${tokenTexts[i]}`
    } else {
      joined.tokens.push(token)
      joined.tokenTexts.push(tokenTexts[i] ?? WILDCARD)
      joined.separators.push(separators[i] ?? '')
    }
  })
  return template(joined.tokens, joined.tokenTexts, [...joined.separators, separators.at(-1) ?? ''])
}

/**
 * Merges the line that the tokenizer read into a template that matches it with the same number of tokens. Wildcards
 * that matched words stay wildcards.
 */
export function mergeLine(tokenizer: Tokenizer, known: Template): Template {
  const line = templateOfLine(tokenizer)
  const tokenTexts = line.tokenTexts.map((text, i) => {
    const took = typeof known.tokens[i] === 'number' && typeof line.tokens[i] === 'string'
    return took ? (known.tokenTexts[i] ?? WILDCARD) : text
  })
  return mergeTemplates(known, [{ ...line, tokens: known.tokens, tokenTexts }])
}

/** Stored parts of a template that cannot be read from its text. */
interface StoredTemplate {
  /** Separators and token texts, alternating. */
  readonly parts?: string[]
  /** Capacity of each wildcard. */
  readonly runs?: number[]
}

const storedTemplates = new WeakMap<Template, StoredTemplate>()

export function storedTemplateOf(tokenizer: Tokenizer, template: Template): StoredTemplate {
  const known = storedTemplates.get(template) ?? toStoredTemplate(tokenizer, template)
  storedTemplates.set(template, known)
  return known
}

function toStoredTemplate(tokenizer: Tokenizer, { text, tokens, tokenTexts, separators }: Template): StoredTemplate {
  const plain = templateOfText(tokenizer, text).tokens
  if (same(plain, tokens)) return {}
  const runs = tokens.filter((token) => typeof token === 'number')
  if (same(plain.map(spelling), tokens.map(spelling))) return { runs }
  return { runs, parts: [...tokenTexts.flatMap((part, i) => [separators[i] ?? '', part]), separators.at(-1) ?? ''] }
}

export function templateOfStored(
  tokenizer: Tokenizer,
  text: string,
  { parts = [], runs = [] }: StoredTemplate,
): Template {
  const split = templateOfParts(tokenizer, parts)
  const own = split.text === text.trim() ? split : templateOfText(tokenizer, text)
  let wildcard = 0
  const tokens = own.tokens.map((token) => (typeof token === 'number' ? (runs[wildcard++] ?? token) : token))
  return { ...own, tokens }
}

const spelling = (token: TemplateToken) => (typeof token === 'string' ? token : 1)

export function templateOfText(tokenizer: Tokenizer, text: string): Template {
  tokenizer.readTemplate(text)
  return templateOfLine(tokenizer)
}

function templateOfParts(tokenizer: Tokenizer, parts: readonly string[]): Template {
  const [tokenTexts, separators] = [parts.filter((_, i) => i % 2 === 1), parts.filter((_, i) => i % 2 === 0)]
  const tokens = tokenTexts.map((part) => templateOfText(tokenizer, part).tokens[0] ?? 1)
  return template(tokens, tokenTexts, separators)
}

function template(
  tokens: readonly TemplateToken[],
  tokenTexts: readonly string[],
  separators: readonly string[],
): Template {
  const text = tokenTexts.map((token, i) => `${separators[i]}${token}`).join('') + (separators.at(-1) ?? '')
  return { text: text.trim(), tokens, tokenTexts, separators }
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i])
}

/** Returns separators on one line: without colour codes and continuation lines, with blanks collapsed. */
function tidy(separators: string): string {
  return copyString(separators.replace(COLOURS, '').replace(CONTINUED, ' ').replace(BLANKS, ' '))
}
const COLOURS = /\u001b\[[\u0020-\u003f]*[\u0040-\u007e]/g
const CONTINUED = /\n\s[^\n]*/g
const BLANKS = /[\s\u0000-\u001f\u007f]+/g

/** Returns the token itself where it equals the text, so that they share memory; else a copy of the text. */
function ownText(text: string, token: TemplateToken | undefined): string {
  return typeof token === 'string' && token === text ? token : copyString(text)
}
