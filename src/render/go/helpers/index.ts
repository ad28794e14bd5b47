import type { CompileOptions } from '../../templates/template.ts'
import { type Escaper, escapeHtml, keepMarkup } from '../../text/escape.ts'
import { checkedText as boundedText, goText, sprint, sprintln } from '../go-format.ts'
import { sprintf } from '../printf.ts'
import { timeOf } from '../time/time.ts'
import { HelperError, Markup, stringIn } from '../values.ts'
import * as collections from './collections.ts'
import * as compare from './compare.ts'
import { isUrl, oneLine, show } from './show.ts'
import * as strings from './strings.ts'
import { escapeJs, escapeQuery, regexMatch } from './strings.ts'
import { format, formatTime } from './times.ts'

export type Helper = (...values: readonly unknown[]) => unknown

/** A helper and how the compiler calls it. */
interface HelperEntry {
  readonly minArgs: number
  readonly maxArgs: number
  /** Position of a piped value among the arguments. */
  readonly piped: 'first' | 'last'
  /** `own`: text literals are passed as `Markup`, which is not escaped. `plain`: as strings. */
  readonly literals: 'own' | 'plain'
  readonly make: (bound: HelperContext) => Helper
}

/** Escaping, environment and clock for the helpers of one template. */
interface HelperContext extends Escaper, Pick<CompileOptions, 'env' | 'now'> {}

const ANY_NUMBER = Number.POSITIVE_INFINITY

type EntryOptions = Partial<Pick<HelperEntry, 'piped' | 'literals'>>

function plainHelper(helper: Helper, minArgs: number, maxArgs = minArgs, shape: EntryOptions = {}): HelperEntry {
  return { minArgs, maxArgs, piped: 'last', literals: 'plain', make: () => helper, ...shape }
}

/** A helper on text. Its result is markup when all its arguments are; a piped value comes first. */
function textHelper(helper: Helper, count: number): HelperEntry {
  return { minArgs: count, maxArgs: count, piped: 'first', literals: 'own', make: (bound) => keepMarkup(helper, bound) }
}

type BoundHelper = (bound: HelperContext, ...values: readonly unknown[]) => unknown

function boundHelper(helper: BoundHelper, minArgs: number, maxArgs = minArgs): HelperEntry {
  const make = (bound: HelperContext): Helper => helper.bind(undefined, bound)
  return { minArgs, maxArgs, piped: 'last', literals: 'own', make }
}

const PIPED_FIRST = { piped: 'first' } as const
const MARKED_LITERALS = { literals: 'own' } as const

const html = boundHelper(
  ({ mark }, ...values) => mark(boundedText(escapeHtml(sprint(values.map((value) => value ?? ''))))),
  0,
  ANY_NUMBER,
)

/**
 * All functions that templates may call. `and`, `or` and `include` are compiled instead of called, so they have no body
 * here.
 */
export const HELPERS: ReadonlyMap<string, HelperEntry> = new Map(
  Object.entries({
    and: plainHelper(unreachable, 1, ANY_NUMBER, MARKED_LITERALS),
    or: plainHelper(unreachable, 1, ANY_NUMBER, MARKED_LITERALS),
    include: plainHelper(unreachable, 1, 2, MARKED_LITERALS),
    not: plainHelper(collections.not, 1),
    eq: plainHelper(compare.eq, 2, ANY_NUMBER),
    ne: plainHelper(compare.ne, 2),
    lt: plainHelper(compare.lt, 2),
    le: plainHelper(compare.le, 2),
    gt: plainHelper(compare.gt, 2),
    ge: plainHelper(compare.ge, 2),
    len: plainHelper(collections.len, 1),
    index: plainHelper(collections.index, 1, ANY_NUMBER),
    slice: plainHelper(collections.slice, 1, 4),
    call: plainHelper(notCallable, 1, ANY_NUMBER),
    print: boundHelper((to, ...values) => printed(values, sprint, to), 0, ANY_NUMBER),
    println: boundHelper((to, ...values) => printed(values, sprintln, to), 0, ANY_NUMBER),
    printf: boundHelper((to, format, ...values) => formatted(format, values, to), 1, ANY_NUMBER),
    html,
    escapeHTML: html,
    js: plainHelper((...values) => boundedText(escapeJs(namedAbsent(values))), 0, ANY_NUMBER),
    urlquery: plainHelper((...values) => boundedText(escapeQuery(namedAbsent(values))), 0, ANY_NUMBER),
    safe: boundHelper(({ mark }, value) => mark(goText(value)), 1),
    upper: textHelper(strings.keepEntities(strings.upper), 1),
    lower: textHelper(strings.keepEntities(strings.lower), 1),
    title: textHelper(strings.keepEntities(strings.title), 1),
    replace: textHelper(strings.replaceAll, 3),
    replaceAll: textHelper(strings.replaceAll, 3),
    trim: textHelper(strings.trim, 1),
    trimPrefix: textHelper(strings.trimPrefix, 2),
    trimSuffix: textHelper(strings.trimSuffix, 2),
    truncate: { ...boundHelper((to, value, length) => truncated(value, length, to), 2), piped: 'first' },
    split: textHelper(strings.split, 2),
    join: textHelper(strings.join, 2),
    toString: textHelper(goText, 1),
    inert: textHelper(strings.inert, 1),
    show: textHelper(show, 1),
    oneLine: { ...boundHelper(oneLine, 1, 2), piped: 'first' },
    contains: plainHelper(strings.contains, 2, 2, PIPED_FIRST),
    hasPrefix: plainHelper(strings.hasPrefix, 2),
    hasSuffix: plainHelper(strings.hasSuffix, 2),
    toJson: plainHelper((value) => boundedText(collections.toJson(value)), 1),
    default: plainHelper(collections.defaultTo, 2, 2, { ...PIPED_FIRST, ...MARKED_LITERALS }),
    stringSlice: plainHelper(collections.stringSlice, 1),
    omit: plainHelper(collections.omit, 1, ANY_NUMBER, PIPED_FIRST),
    kindIs: plainHelper(compare.kindIs, 2),
    isURL: plainHelper(isUrl, 1),
    dict: plainHelper(collections.dict, 0, ANY_NUMBER, MARKED_LITERALS),
    list: plainHelper(collections.list, 0, ANY_NUMBER, MARKED_LITERALS),
    append: plainHelper(collections.append, 1, ANY_NUMBER, { ...PIPED_FIRST, ...MARKED_LITERALS }),
    add: plainHelper(strings.add, 2, ANY_NUMBER),
    regexMatch: plainHelper(regexMatch, 2),
    formatTime: plainHelper(formatTime, 1, 2),
    format: plainHelper(format, 2),
    now: boundHelper(({ now }) => timeOf(now()), 0),
    env: boundHelper(({ env }, name) => env(strings.text(name)) ?? '', 1),
  } satisfies { [name: string]: HelperEntry }),
)

function truncated(value: unknown, length: unknown, { mark }: Escaper): unknown {
  const cut = strings.truncate(value, length)
  return value instanceof Markup ? mark(strings.wholeEntities(cut, goText(value))) : cut
}

function unreachable(): never {
  throw new HelperError('not a helper')
}

function notCallable(): never {
  throw new HelperError('call of a value that is not a function')
}

/** Joins arguments as Go's urlquery and js do: an absent value prints as `<no value>`. */
function namedAbsent(values: readonly unknown[]): string {
  return sprint(values.map((value) => value ?? '<no value>'))
}

function printed(values: readonly unknown[], join: typeof sprint, escaper: Escaper): unknown {
  if (!values.some((value) => value instanceof Markup)) return join(values)
  return escaper.mark(join(values.map((value) => (value instanceof Markup ? value : escaped(value, escaper)))))
}

const escaped = (value: unknown, escaper: Escaper) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null) ? escaper.escape(goText(value)) : value

/** Implements printf. With a literal format the result is markup, in which values of the payload are escaped. */
function formatted(template: unknown, values: readonly unknown[], escaper: Escaper): unknown {
  const format = stringIn(template)
  if (format === undefined) throw new HelperError('printf expects a format string')
  if (!(template instanceof Markup)) return sprintf(format, values, unchanged)
  return escaper.mark(sprintf(format, values, (part, value) => (value instanceof Markup ? part : escaper.escape(part))))
}

const unchanged = (part: string) => part
