import { VALUE } from '../tokens/token.ts'
import type { Scan } from '../tokens/token-scanner.ts'

export const HOLE = '<*>'
/** Of the values in a row, as many are taken for room for words among them. */
const MOST_VALUES = 8
const DIGITS = '\u0002'

/** A word in masked spelling, or how many columns of a line a hole may take in. */
export type Column = string | number

/** What a pattern matches, and how it is shown: `between` are the separators around the columns, one more than there are columns. */
export interface Template {
  readonly text: string
  readonly columns: readonly Column[]
  readonly shown: readonly string[]
  readonly between: readonly string[]
}

export const NOTHING: Template = { text: '', columns: [], shown: [], between: [''] }

/** Template of the line that was just read: words as they are, holes for values. */
export function templateOfLine(scan: Scan): Template {
  const shown: string[] = []
  const between: string[] = []
  const values: number[] = []
  let last = 0
  for (let piece = 0; piece < scan.pieces; piece++) {
    const place = scan.places[piece] as number
    const separators = tidy(scan.text.slice(last, scan.starts[piece]))
    const text = scan.kinds[piece] === VALUE ? HOLE : scan.text.slice(scan.starts[piece], scan.ends[piece])
    if (place < shown.length) shown[place] += separators + text
    else {
      between.push(separators)
      shown.push(text)
    }
    values[place] = (values[place] ?? 0) + 1
    last = scan.ends[piece] as number
  }
  between.push(tidy(scan.text.slice(last, scan.end)))
  const columns = scan
    .words()
    .map((word, place) => (word === undefined ? Math.min(values[place] ?? 1, MOST_VALUES) : ownCopy(word)))
  const own = shown.map((text, place) => ownText(text, columns[place]))
  return template(columns, own, between)
}

/** One template for what several of as many columns match: where they differ there is a hole, where only digits differ these are. */
export function blend(first: Template, others: readonly Template[]): Template {
  const all = [first, ...others]
  const columns = first.columns.map((_, i) => blendColumn(all.map((each) => each.columns[i] ?? 1)))
  const shown = columns.map((column, i) => {
    const text = first.shown[i] ?? HOLE
    if (all.every((each) => each.columns[i] === first.columns[i] && each.shown[i] === text)) return text
    return typeof column === 'string' ? column.replaceAll(DIGITS, HOLE) : HOLE
  })
  return same(columns, first.columns) && same(shown, first.shown) ? first : joinHoles(columns, shown, first.between)
}

function blendColumn(columns: readonly Column[]): Column {
  const [first = 1] = columns
  if (typeof first === 'string' && columns.every((column) => column === first)) return first
  return Math.max(...columns.map((column) => (typeof column === 'number' ? column : 1)))
}

/** Holes that follow each other are one, which takes in as many columns as they did. */
function joinHoles(columns: readonly Column[], shown: readonly string[], between: readonly string[]): Template {
  const joined: { columns: Column[]; shown: string[]; between: string[] } = { columns: [], shown: [], between: [] }
  columns.forEach((column, i) => {
    const last = joined.columns.length - 1
    const before = joined.columns[last]
    if (typeof column === 'number' && typeof before === 'number') {
      joined.columns[last] = before + column
      joined.shown[last] += `${between[i]}${shown[i]}`
    } else {
      joined.columns.push(column)
      joined.shown.push(shown[i] ?? HOLE)
      joined.between.push(between[i] ?? '')
    }
  })
  return template(joined.columns, joined.shown, [...joined.between, between.at(-1) ?? ''])
}

/** The same with the line that was just read, of as many columns, which `known` matches; holes that took words in stay as they are. */
export function blendLine(scan: Scan, known: Template): Template {
  const line = templateOfLine(scan)
  const shown = line.shown.map((text, i) => {
    const took = typeof known.columns[i] === 'number' && typeof line.columns[i] === 'string'
    return took ? (known.shown[i] ?? HOLE) : text
  })
  return blend(known, [{ ...line, columns: known.columns, shown }])
}

/** How a template is kept beside its text, where the text alone does not say it. */
export interface Kept {
  /** By turns what is between columns and in them. */
  readonly parts?: string[]
  /** How many columns each hole takes in. */
  readonly runs?: number[]
}

const kept = new WeakMap<Template, Kept>()

export function keep(scan: Scan, template: Template): Kept {
  const known = kept.get(template) ?? keepNow(scan, template)
  kept.set(template, known)
  return known
}

function keepNow(scan: Scan, { text, columns, shown, between }: Template): Kept {
  const plain = templateOfText(scan, text).columns
  if (same(plain, columns)) return {}
  const runs = columns.filter((column) => typeof column === 'number')
  if (same(plain.map(spelling), columns.map(spelling))) return { runs }
  return { runs, parts: [...shown.flatMap((part, i) => [between[i] ?? '', part]), between.at(-1) ?? ''] }
}

export function templateOfKept(scan: Scan, text: string, { parts = [], runs = [] }: Kept): Template {
  const split = templateOfParts(scan, parts)
  const own = split.text === text.trim() ? split : templateOfText(scan, text)
  let hole = 0
  const columns = own.columns.map((column) => (typeof column === 'number' ? (runs[hole++] ?? column) : column))
  return { ...own, columns }
}

const spelling = (column: Column) => (typeof column === 'string' ? column : 1)

export function templateOfText(scan: Scan, text: string): Template {
  scan.readTemplate(text)
  return templateOfLine(scan)
}

function templateOfParts(scan: Scan, parts: readonly string[]): Template {
  const [shown, between] = [parts.filter((_, i) => i % 2 === 1), parts.filter((_, i) => i % 2 === 0)]
  const columns = shown.map((part) => templateOfText(scan, part).columns[0] ?? 1)
  return template(columns, shown, between)
}

function template(columns: readonly Column[], shown: readonly string[], between: readonly string[]): Template {
  const text = shown.map((column, i) => `${between[i]}${column}`).join('') + (between.at(-1) ?? '')
  return { text: text.trim(), columns, shown, between }
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
function ownText(text: string, column: Column | undefined): string {
  return typeof column === 'string' && column === text ? column : ownCopy(text)
}
