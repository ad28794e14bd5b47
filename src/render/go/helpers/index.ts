import type { CompileOptions } from '../../templates/template.ts'
import { type Escaper, escapeHtml, keepingMarks } from '../../text/escape.ts'
import { limitOutput as boundedText, goText, sprint, sprintln } from '../go-format.ts'
import { sprintf } from '../printf/printf.ts'
import { timeOf } from '../time/time.ts'
import { Markup, stringIn } from '../values.ts'
import * as collections from './collections.ts'
import * as compare from './compare.ts'
import { escapeJs, escapeQuery, inert } from './escapes.ts'
import { HelperFault } from './fault.ts'
import { regexMatch } from './regex.ts'
import { isUrl, kindIs, omit, oneLine, show } from './shown.ts'
import * as strings from './strings.ts'
import { format, formatTime } from './times.ts'

export type Helper = (...values: readonly unknown[]) => unknown

interface HelperEntry {
  readonly least: number
  readonly most: number
  /** Where a piped value goes. */
  readonly piped: 'first' | 'last'
  /** A text literal among the arguments stays the template's own text, which is not escaped. */
  readonly literals: 'own' | 'plain'
  readonly make: (bound: Bound) => Helper
}

/** What helpers of one template know of the world. */
interface Bound extends Escaper, Pick<CompileOptions, 'env' | 'now'> {}

const MANY = Number.POSITIVE_INFINITY

type Shape = Partial<Pick<HelperEntry, 'piped' | 'literals'>>

function entry(helper: Helper, least: number, most = least, shape: Shape = {}): HelperEntry {
  return { least, most, piped: 'last', literals: 'plain', make: () => helper, ...shape }
}

/** A helper on text: marks survive when everything that goes in has them; the piped value comes first. */
function ofText(helper: Helper, count: number): HelperEntry {
  return { least: count, most: count, piped: 'first', literals: 'own', make: (bound) => keepingMarks(helper, bound) }
}

function bound(make: HelperEntry['make'], least: number, most = least): HelperEntry {
  return { least, most, piped: 'last', literals: 'own', make }
}

const first = { piped: 'first' } as const
const own = { literals: 'own' } as const

const html = bound(
  ({ mark }) =>
    (...values) =>
      mark(boundedText(escapeHtml(sprint(values.map((value) => value ?? ''))))),
  0,
  MANY,
)

/** Every function a template may call. `and`, `or` and `include` are part of the language and have no body here. */
export const HELPERS: ReadonlyMap<string, HelperEntry> = new Map(
  Object.entries({
    and: entry(unreachable, 1, MANY, own),
    or: entry(unreachable, 1, MANY, own),
    include: entry(unreachable, 1, 2, own),
    not: entry(collections.not, 1),
    eq: entry(compare.eq, 2, MANY),
    ne: entry(compare.ne, 2),
    lt: entry(compare.lt, 2),
    le: entry(compare.le, 2),
    gt: entry(compare.gt, 2),
    ge: entry(compare.ge, 2),
    len: entry(collections.len, 1),
    index: entry(collections.index, 1, MANY),
    slice: entry(collections.slice, 1, 4),
    call: entry(notCallable, 1, MANY),
    print: bound(
      (to) =>
        (...values) =>
          printed(values, sprint, to),
      0,
      MANY,
    ),
    println: bound(
      (to) =>
        (...values) =>
          printed(values, sprintln, to),
      0,
      MANY,
    ),
    printf: bound(
      (to) =>
        (template, ...values) =>
          formatted(template, values, to),
      1,
      MANY,
    ),
    html,
    escapeHTML: html,
    js: entry((...values) => boundedText(escapeJs(evaluated(values))), 0, MANY),
    urlquery: entry((...values) => boundedText(escapeQuery(evaluated(values))), 0, MANY),
    safe: bound(
      ({ mark }) =>
        (value) =>
          mark(goText(value)),
      1,
    ),
    upper: ofText(strings.besideEntities(strings.upper), 1),
    lower: ofText(strings.besideEntities(strings.lower), 1),
    title: ofText(strings.besideEntities(strings.title), 1),
    replace: ofText(strings.replaceAll, 3),
    replaceAll: ofText(strings.replaceAll, 3),
    trim: ofText(strings.trim, 1),
    trimPrefix: ofText(strings.trimPrefix, 2),
    trimSuffix: ofText(strings.trimSuffix, 2),
    truncate: { ...bound((to) => (value, length) => truncated(value, length, to), 2), piped: 'first' },
    split: ofText(strings.split, 2),
    join: ofText(strings.join, 2),
    toString: ofText(goText, 1),
    inert: ofText(inert, 1),
    show: ofText(show, 1),
    oneLine: { ...bound(oneLine, 1, 2), piped: 'first' },
    contains: entry(strings.contains, 2, 2, first),
    hasPrefix: entry(strings.hasPrefix, 2),
    hasSuffix: entry(strings.hasSuffix, 2),
    toJson: entry((value) => boundedText(collections.toJson(value)), 1),
    default: entry(collections.orDefault, 2, 2, { ...first, ...own }),
    stringSlice: entry(collections.stringSlice, 1),
    omit: entry(omit, 1, MANY, first),
    kindIs: entry(kindIs, 2),
    isURL: entry(isUrl, 1),
    dict: entry(collections.dict, 0, MANY, own),
    list: entry(collections.list, 0, MANY, own),
    append: entry(collections.append, 1, MANY, { ...first, ...own }),
    add: entry(strings.add, 2, MANY),
    regexMatch: entry(regexMatch, 2),
    formatTime: entry(formatTime, 1, 2),
    format: entry(format, 2),
    now: bound(
      ({ now }) =>
        () =>
          timeOf(now()),
      0,
    ),
    env: bound(
      ({ env }) =>
        (name) =>
          env(strings.text(name)) ?? '',
      1,
    ),
  } satisfies { [name: string]: HelperEntry }),
)

function truncated(value: unknown, length: unknown, { mark }: Escaper): unknown {
  const cut = strings.truncate(value, length)
  return value instanceof Markup ? mark(strings.wholeEntities(cut, goText(value))) : cut
}

function unreachable(): never {
  throw new HelperFault('not a helper')
}

function notCallable(): never {
  throw new HelperFault('call of a value that is not a function')
}

/** What Go's urlquery and js make of their arguments; they name an absent value. */
function evaluated(values: readonly unknown[]): string {
  return sprint(values.map((value) => value ?? '<no value>'))
}

function printed(values: readonly unknown[], join: typeof sprint, escaper: Escaper): unknown {
  if (!values.some((value) => value instanceof Markup)) return join(values)
  return escaper.mark(join(values.map((value) => (value instanceof Markup ? value : keepKind(value, escaper)))))
}

const keepKind = (value: unknown, escaper: Escaper) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null) ? escaper.escape(goText(value)) : value

/** The format's own text stays as it is when the template says it; what comes out of a payload value is escaped there and then. */
function formatted(template: unknown, values: readonly unknown[], escaper: Escaper): unknown {
  const format = stringIn(template)
  if (format === undefined) throw new HelperFault('printf expects a format string')
  if (!(template instanceof Markup)) return sprintf(format, values, plain)
  return escaper.mark(sprintf(format, values, (part, value) => (value instanceof Markup ? part : escaper.escape(part))))
}

const plain = (part: string) => part
