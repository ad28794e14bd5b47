import { VALUE } from '../tokens/piece-kind.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'

const WILDCARD = '<*>'
/** Of the values in a row, as many are taken for room for words among them. */
const MAX_RUN_VALUES = 8
const DIGITS = '\u0002'

/** A word in masked spelling, or how many columns of a line a hole may take in. */
export type TemplateToken = string | number

/** What a pattern matches, and how it is shown: `between` are the separators around the columns, one more than there are columns. */
export interface Template {
  readonly text: string
  readonly tokens: readonly TemplateToken[]
  readonly tokenTexts: readonly string[]
  readonly separators: readonly string[]
}

export const EMPTY_TEMPLATE: Template = { text: '', tokens: [], tokenTexts: [], separators: [''] }

/** Template of the line that was just read: words as they are, holes for values. */
export function templateOfLine(tokenizer: Tokenizer): Template {
  const tokenTexts: string[] = []
  const separators: string[] = []
  const values: number[] = []
  let last = 0
  for (let piece = 0; piece < tokenizer.pieceCount; piece++) {
    const place = tokenizer.tokenOfPiece[piece] as number
    const gap = tidy(tokenizer.text.slice(last, tokenizer.starts[piece]))
    const text =
      tokenizer.kinds[piece] === VALUE ? WILDCARD : tokenizer.text.slice(tokenizer.starts[piece], tokenizer.ends[piece])
    if (place < tokenTexts.length) tokenTexts[place] += gap + text
    else {
      separators.push(gap)
      tokenTexts.push(text)
    }
    values[place] = (values[place] ?? 0) + 1
    last = tokenizer.ends[piece] as number
  }
  separators.push(tidy(tokenizer.text.slice(last, tokenizer.end)))
  const tokens = tokenizer
    .words()
    .map((word, place) => (word === undefined ? Math.min(values[place] ?? 1, MAX_RUN_VALUES) : ownCopy(word)))
  const own = tokenTexts.map((text, place) => ownText(text, tokens[place]))
  return template(tokens, own, separators)
}

/** One template for what several of as many columns match: where they differ there is a hole, where only digits differ these are. */
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

/** Holes that follow each other are one, which takes in as many columns as they did. */
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

/** The same with the line that was just read, of as many columns, which `known` matches; holes that took words in stay as they are. */
export function mergeLine(tokenizer: Tokenizer, known: Template): Template {
  const line = templateOfLine(tokenizer)
  const tokenTexts = line.tokenTexts.map((text, i) => {
    const took = typeof known.tokens[i] === 'number' && typeof line.tokens[i] === 'string'
    return took ? (known.tokenTexts[i] ?? WILDCARD) : text
  })
  return mergeTemplates(known, [{ ...line, tokens: known.tokens, tokenTexts }])
}

/** How a template is kept beside its text, where the text alone does not say it. */
interface StoredTemplate {
  /** By turns what is between columns and in them. */
  readonly parts?: string[]
  /** How many columns each hole takes in. */
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
  let hole = 0
  const tokens = own.tokens.map((token) => (typeof token === 'number' ? (runs[hole++] ?? token) : token))
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

/** Separators on one line: without colours and continuation lines, blanks as one. */
function tidy(separators: string): string {
  return ownCopy(separators.replace(COLOURS, '').replace(CONTINUED, ' ').replace(BLANKS, ' '))
}
const COLOURS = /\u001b\[[\u0020-\u003f]*[\u0040-\u007e]/g
const CONTINUED = /\n\s[^\n]*/g
const BLANKS = /[\s\u0000-\u001f\u007f]+/g

const SHORTEST_SLICE = 13

/** Not a slice, which would keep all of what it was cut from. */
function ownCopy(text: string): string {
  return text.length < SHORTEST_SLICE ? text : ` ${text}`.slice(1)
}

/** The spelling of the column where it is the same. */
function ownText(text: string, token: TemplateToken | undefined): string {
  return typeof token === 'string' && token === text ? token : ownCopy(text)
}
