import type { ShiftNow } from './calendar.ts'
import type { Escalation, OncallRules, Target } from './escalation.ts'
import type { Find } from './run-state.ts'
import { isQuietUntil } from './ways.ts'

/** The reason of a target that the configuration does not have any more. */
const GONE = 'gone'

/**
 * Opens the look-up of people by the configuration in force. `shiftAt` returns undefined where there is no such schedule. A
 * person is found by key, and by name: who acknowledged may be told by that.
 */
export function openFind(
  { people, schedules }: Pick<OncallRules, 'people' | 'schedules'>,
  shiftAt: (schedule: string, instant: number) => Omit<ShiftNow, 'from'> | undefined,
): Find {
  const keys = new Map(Array.from(people, ([key, { name }]) => [name, key]))
  const keyOf = (name: string) => (people.has(name) ? name : keys.get(name))

  function named(key: string, because: string, at: { readonly now: number; readonly level: number }) {
    const person = people.get(key)
    const quietUntil = person && isQuietUntil(person, at)
    return { people: [key], because, ...(quietUntil !== undefined && { quietUntil }) }
  }

  return (target, now, level) => {
    if (target.kind === 'channel' || target.kind === 'provider') return { people: [], because: '' }
    if (target.kind === 'person') {
      const key = keyOf(target.name)
      return key === undefined ? { people: [], because: GONE } : named(key, '', { now, level })
    }
    const shift = schedules.has(target.name) ? shiftAt(target.name, now) : undefined
    if (shift === undefined) return { people: [], because: GONE }
    const { person, because, until, next } = shift
    if (person === undefined) return { people: [], because, ...(next !== undefined && { next }) }
    if (people.has(person)) return named(person, because, { now, level })
    return { people: [], because: GONE, ...(Number.isFinite(until) && { next: until }) }
  }
}

/**
 * Returns the escalation that a run goes on with: its plan while that has a person, schedule or provider of the configuration in
 * force, else the escalation of the same name, the usual one, or the provider. One that is not the plan begins at its first step.
 */
export function planInForce(plan: Escalation, rules: OncallRules): Escalation {
  const targets = plan.steps.flatMap(({ notify }) => notify).filter(({ kind }) => kind !== 'channel')
  if (targets.length === 0 || targets.some((target) => isThere(target, rules))) return plan
  const { escalations, escalation = '' } = rules
  return escalations.get(plan.name) ?? escalations.get(escalation) ?? providerAlone(plan)
}

function isThere(target: Target, { people, schedules }: OncallRules): boolean {
  if (target.kind === 'person') return people.has(target.name)
  return target.kind !== 'schedule' || schedules.has(target.name)
}

const providerAlone = ({ name, repeat, repeatAfterMs }: Escalation): Escalation => ({
  ...{ name, repeat, repeatAfterMs },
  steps: [{ afterMs: 0, notify: [{ kind: 'provider' }] }],
})

/** Provider targets without a name get the one that the request or rule chose. */
export function withTarget(plan: Escalation, target: string | undefined): Escalation {
  if (target === undefined) return plan
  const chosen = (each: Target): Target => (each.kind === 'provider' ? { target, ...each } : each)
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, notify: step.notify.map(chosen) })) }
}
