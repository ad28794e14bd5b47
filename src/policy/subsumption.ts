import { SENDERS, SOURCES, STATUSES } from '../domain/incident.ts'
import { severityRank } from '../domain/severity.ts'
import { type Condition, compileCondition } from './condition.ts'
import type { Field } from './fields.ts'
import { MatchCache, type Matcher, type Pattern } from './matcher.ts'
import type { RouteSettings } from './route.ts'
import { compileRules, type Rule } from './rules.ts'

interface Unreached {
  readonly rule: RouteSettings
  /** The earlier rules that together take every incident of it: one in most cases. */
  readonly by: readonly RouteSettings[]
}

type Conditions = readonly Condition[]

/** Fields with few possible values. */
const DOMAINS: { readonly [field in Field]?: readonly string[] } = {
  sender: SENDERS,
  source: SOURCES,
  status: STATUSES,
}
/** Cases that one rule is split into: bounds the comparisons. */
const MAX_CASES = 16

/**
 * Returns the rules that provably never match, because earlier ones take every incident that they fit. A rule that is not
 * listed may be unreachable all the same: globs are compared by their beginnings, regular expressions by their text, and
 * several rules together are tried on a rule that is split by values that it lists, by sender, source or status.
 */
export function neverReached(routes: readonly RouteSettings[]): Unreached[] {
  const rules = compileRules(routes)
  return rules.flatMap((rule, at) => {
    const earlier = rules.slice(0, at).filter(takesAll)
    const by = coveredBy(conditionsOf(rule), earlier, MAX_CASES)
    return by === undefined ? [] : [{ rule: rule.settings, by: [...new Set(by)].map(({ settings }) => settings) }]
  })
}

const takesAll = ({ settings }: Rule) =>
  !settings.continue && settings.during === undefined && settings.outside === undefined

const conditionsOf = ({ onFields, onLabels, onPayload }: Rule): Conditions => [...onFields, ...onLabels, ...onPayload]

/** Returns rules that take every incident that fits the conditions; undefined: none provably do. */
function coveredBy(narrow: Conditions, earlier: readonly Rule[], cases: number): readonly Rule[] | undefined {
  const alone = earlier.find((rule) => covers(conditionsOf(rule), narrow))
  if (alone !== undefined) return [alone]
  const compared = new Set(earlier.flatMap((rule) => conditionsOf(rule).map(({ settings }) => settings.field)))
  for (const field of compared) {
    const parts = splitBy(field, narrow)
    if (parts.length < 2 || parts.length > cases) continue
    const covering = parts.map((part) => coveredBy(part, earlier, Math.floor(cases / parts.length)))
    if (covering.every((rules) => rules !== undefined)) return covering.flat()
  }
  return undefined
}

/** Returns the conditions once for each value that a field can have under them; one or none: they cannot be split. */
function splitBy(field: string, narrow: Conditions): Conditions[] {
  const given = narrow.find(({ settings }) => settings.field === field)
  const values = given === undefined ? (DOMAINS[field as Field] ?? []) : literalsOf(given)
  const others = narrow.filter((condition) => condition !== given)
  return values.map((value) => [
    ...others,
    compileCondition({ field, values: [value], where: given?.settings.where ?? '' }, new MatchCache()),
  ])
}

function literalsOf({ part, matcher }: Condition): readonly string[] {
  const isListed = !matcher.negated && matcher.patterns.every(({ kind }) => kind === 'literal')
  return part.kind !== 'min severity' && isListed ? matcher.patterns.map(({ text }) => text) : []
}

/** True when every incident that fits `narrow` certainly fits `wide`. */
export const covers = (wide: Conditions, narrow: Conditions): boolean =>
  wide.every((condition) => narrow.some((other) => implies(other, condition)))

/** True when what fits `narrow` certainly fits `wide`. */
function implies(narrow: Condition, wide: Condition): boolean {
  if (wide.part.kind === 'min severity') {
    const { rank } = wide.part
    if (narrow.part.kind === 'min severity') return narrow.part.rank <= rank
    const isSeverity = narrow.part.kind === 'field' && narrow.part.name === 'severity' && !narrow.matcher.negated
    return (
      isSeverity && narrow.matcher.patterns.every((one) => one.kind === 'literal' && severityRank(one.text) <= rank)
    )
  }
  if (narrow.part.kind === 'min severity' || narrow.settings.field !== wide.settings.field) return false
  return isSubset(narrow.matcher, wide.matcher)
}

function isSubset(narrow: Matcher, wide: Matcher): boolean {
  if (!narrow.negated && narrow.patterns.every(({ kind }) => kind === 'literal'))
    return narrow.patterns.every(({ text }) => wide.matches(text))
  if (narrow.negated !== wide.negated) return !wide.negated && wide.patterns.some(takesAnything)
  const [inner, outer] = wide.negated ? [wide, narrow] : [narrow, wide]
  return inner.patterns.every((one) => outer.patterns.some((other) => isWithin(one, other)))
}

const takesAnything = ({ kind, text }: Pattern) => kind === 'glob' && /^\*+$/.test(text)

/** True when every text that fits `one` fits `other`: the same pattern, or a longer beginning than that of `abc*`. */
function isWithin(one: Pattern, other: Pattern): boolean {
  if (one.kind === other.kind && one.text === other.text) return true
  if (one.kind === 'literal') return other.kind !== 'literal' && other.matches(one.text)
  if (other.kind !== 'glob') return false
  if (one.kind === 'regex') return takesAnything(other)
  const prefix = /^[^*?]*(?=\*+$)/.exec(other.text)?.[0]
  return prefix !== undefined && beginning(one.text).startsWith(prefix)
}

/** Returns the text before the first wildcard. */
const beginning = (glob: string) => /^[^*?]*/.exec(glob)?.[0] ?? ''
