import { severityRank } from '../domain/severity.ts'
import type { Condition } from './condition.ts'
import type { Matcher, Pattern } from './matcher.ts'
import type { RouteSettings } from './route.ts'
import { compileRules, type Rule } from './rules.ts'

interface Unreached {
  readonly rule: RouteSettings
  /** The earlier rule that takes every incident of it. */
  readonly by: RouteSettings
}

/**
 * Returns the rules that provably never match, because an earlier one takes every incident that they fit. A rule that is
 * not listed may be unreachable all the same: regular expressions and several rules together are not compared.
 */
export function neverReached(routes: readonly RouteSettings[]): Unreached[] {
  const rules = compileRules(routes)
  return rules.flatMap((rule, at) => {
    const by = rules.slice(0, at).find((earlier) => takesAll(earlier) && covers(earlier, rule))
    return by === undefined ? [] : [{ rule: rule.settings, by: by.settings }]
  })
}

const takesAll = ({ settings }: Rule) =>
  !settings.continue && settings.during === undefined && settings.outside === undefined

const conditionsOf = ({ onFields, onLabels, onPayload }: Rule) => [...onFields, ...onLabels, ...onPayload]

/** True when every incident that fits `narrow` certainly fits `wide`. */
const covers = (wide: Rule, narrow: Rule): boolean =>
  conditionsOf(wide).every((condition) => conditionsOf(narrow).some((other) => implies(other, condition)))

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
