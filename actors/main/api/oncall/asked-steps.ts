import type { ExplainStep } from '../../../../src/api/noise/explain.ts'
import { lasted } from '../../../../src/domain/delivery/notice.ts'
import type { Escalation, OncallPerson, Target } from '../../../../src/policy/oncall/escalation.ts'
import { openFind } from '../../../../src/policy/oncall/find.ts'
import { beginRun, nextStep } from '../../../../src/policy/oncall/run.ts'
import type { Asked, RunEffect } from '../../../../src/policy/oncall/run-state.ts'
import { DAY_MS } from '../../../../src/policy/oncall/settings.ts'
import type { KnownShift } from '../../../../src/store/ports/schedules.ts'
import { EMPTY } from '../noise/steps.ts'
import type { OncallDeps } from './deps.ts'

interface Paging {
  /** Name of the escalation. */
  readonly escalation: string
  readonly waitMs: number
  /** Severity rank. */
  readonly level: number
  /** Epoch milliseconds. */
  readonly now: number
}

/** Returns whom the steps of an escalation would ask if nobody answered: its first round, played as a run plays it. */
export async function askedSteps(deps: Pick<OncallDeps, 'askStorage' | 'settings'>, paging: Paging) {
  const rules = deps.settings().oncallRules
  const plan = rules?.escalations.get(paging.escalation)
  if (rules === undefined || plan === undefined) return []
  const shifts = await shiftsOf(deps, plan, paging)
  const find = openFind(rules, (name, at) => shifts.get(name)?.find(({ from, until }) => from <= at && at < until))
  const found: ExplainStep[] = []
  let run = beginRun({ plan, ...paging })
  while (run.round === 0 && run.phase !== 'exhausted' && run.dueAt !== undefined) {
    const now = run.dueAt
    const next = nextStep({ plan, run, event: { kind: 'due' }, now, find })
    found.push(...next.effects.flatMap((effect) => stepOf(effect, rules.people, now - paging.now)))
    run = next.run
  }
  return found
}

/** Quiet hours may put off each step by a day. */
async function shiftsOf(
  { askStorage }: Pick<OncallDeps, 'askStorage'>,
  { steps }: Escalation,
  { now, waitMs }: Paging,
) {
  const until = now + waitMs + steps.reduce((sum, { afterMs }) => sum + afterMs + 2 * DAY_MS, 0)
  const targets = steps.flatMap(({ notify }) => notify)
  const found = new Map<string, readonly KnownShift[]>()
  for (const { kind, name } of targets.filter((target) => target.kind === 'schedule'))
    if (kind === 'schedule' && !found.has(name))
      found.set(name, await askStorage({ kind: 'scheduleShifts', name, from: now, until }))
  return found
}

function stepOf(effect: RunEffect, people: ReadonlyMap<string, OncallPerson>, afterMs: number): ExplainStep[] {
  const after = afterMs === 0 ? 'at once' : `after ${lasted(afterMs)}`
  const step = { ...EMPTY, stage: 'on-call' } as const
  switch (effect.kind) {
    case 'ask':
    case 'no person': {
      const asked = effect.asked.map((each) => askedText(each, people)).join('; ')
      return [{ ...step, subject: `step ${effect.step + 1}`, verdict: effect.kind, because: `${after}: ${asked}` }]
    }
    case 'floor':
      return [{ ...step, subject: `step ${effect.step + 1}`, verdict: 'passed', because: 'it is not loud enough' }]
    case 'exhausted':
      return [{ ...step, verdict: 'exhausted', because: 'no step has a person' }]
    default:
      return []
  }
}

function askedText({ target, people: keys, because }: Asked, people: ReadonlyMap<string, OncallPerson>): string {
  const written = targetText(target)
  if (target.kind === 'channel' || target.kind === 'provider') return written
  const names = keys.map((key) => people.get(key)?.name ?? key).join(', ') || 'nobody'
  return `${names} (${because === '' ? written : `${written}, ${because}`})`
}

function targetText(target: Target): string {
  if (target.kind === 'schedule' || target.kind === 'person') return `${target.kind}:${target.name}`
  const parts = target.kind === 'channel' ? [target.kind, target.channel] : [target.kind]
  return [...parts, ...(target.target === undefined ? [] : [target.target])].join(':')
}
