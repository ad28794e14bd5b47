import { severityRank } from '../domain/severity.ts'
import type { Decide, Decision } from './decision.ts'
import { type Defaults, type Facts, outcomeOf } from './outcome.ts'

/** Opens `decide` for a configuration without rules. */
export function openDefaultDecide(defaults: Defaults): Decide {
  const decisions = new Map<string, Decision>()
  return (subject, overrides) => {
    if (overrides !== undefined) return outcomeOf([], subject, overrides, defaults)
    const key = outcomeKey(subject)
    const known = decisions.get(key)
    if (known !== undefined) return known
    const decision = outcomeOf([], subject, undefined, defaults)
    decisions.set(key, decision)
    return decision
  }
}

/** Returns a key of what an outcome depends on beside rules and overrides; there are 30 of them. */
export const outcomeKey = ({ status, severity, source }: Facts): string =>
  `${status} ${severityRank(severity)} ${source}`
