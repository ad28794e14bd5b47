import type { EscalationStep, Target } from './escalation.ts'
import type { RunEffect, RunInput } from './run-state.ts'

const MINUTE_MS = 60_000

export const isLoudEnough = (step: EscalationStep | undefined, level: number) => level <= (step?.minRank ?? Infinity)

interface Found {
  readonly effect: RunEffect
  /** It has a person, or a provider, which has one. */
  readonly wakes: boolean
  /** All whom it has have quiet hours until then. */
  readonly quietUntil?: number
}

/** Looks for the people of a step, -1 for the person who acknowledged. One of channels alone asks, and wakes nobody. */
export function ask({ run, now, find }: RunInput, step: number, targets: readonly Target[]): Found {
  const found = targets.map((target) => ({ target, ...find(target, now, run.level) }))
  const asked = found.map(({ target, people, because }) => ({ target, people, because }))
  const at = { step, round: run.round, asked }
  const woken = found.filter(({ target, people }) => target.kind === 'provider' || people.length > 0)
  if (woken.length === 0 && found.some(({ target }) => target.kind !== 'channel')) {
    const next = Math.min(...found.map((each) => each.next ?? Infinity))
    return { effect: { kind: 'no person', ...at, ...(next !== Infinity && { next }) }, wakes: false }
  }
  const awakeAt = Math.min(...woken.map(({ quietUntil = -Infinity }) => quietUntil))
  return {
    effect: { kind: 'ask', ...at, lateMs: now - (run.dueAt ?? now) },
    wakes: woken.length > 0,
    ...(Number.isFinite(awakeAt) && { quietUntil: awakeAt }),
  }
}

/** Returns when one of the steps that are loud enough has a person again, in a minute or later; Infinity if none will. */
export function nextPersonAt({ plan, run, now, find }: RunInput): number {
  const steps = plan.steps.filter((step) => isLoudEnough(step, run.level))
  const found = steps.flatMap(({ notify }) => notify.map((target) => find(target, now, run.level)))
  const times = found.map(({ people, next = Infinity }) => (people.length > 0 ? now : next))
  return Math.max(now + MINUTE_MS, Math.min(...times))
}
