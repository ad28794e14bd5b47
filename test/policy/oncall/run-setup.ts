import type { Escalation, EscalationStep, Target } from '../../../src/policy/oncall/escalation.ts'
import { beginRun, nextStep } from '../../../src/policy/oncall/run.ts'
import type { Find, Run, RunEffect, RunEvent } from '../../../src/policy/oncall/run-state.ts'

export const MINUTE_MS = 60_000
export const CRITICAL = 0
export const HIGH = 1
export const WARNING = 2

/** Returns the target of `schedule:primary`, `person:ada`, `channel:chatws` or `provider`. */
function target(written: string): Target {
  const [kind = '', name = ''] = written.split(':')
  if (kind === 'schedule' || kind === 'person') return { kind, name }
  return kind === 'provider' ? { kind, ...(name && { target: name }) } : { kind: 'channel', channel: 'chatws' }
}

/** Returns a step; `after` in minutes. */
export const step = (after: number, notify: string, minRank?: number): EscalationStep => ({
  afterMs: after * MINUTE_MS,
  notify: notify.split(' ').map(target),
  ...(minRank !== undefined && { minRank }),
})

/** Ada at once, ben after 8 minutes, cleo after 10 more; two rounds, 15 minutes apart. */
export const plan = (given: Partial<Escalation> = {}): Escalation => ({
  ...{ name: 'office', repeat: 1, repeatAfterMs: 15 * MINUTE_MS },
  steps: [step(0, 'schedule:ada'), step(8, 'schedule:ben'), step(10, 'schedule:cleo')],
  ...given,
})

/** Finds on each schedule and for each person the one of the same name; `nobody`: times in minutes at which one is there again. */
export function findOf(
  nobody: Readonly<Record<string, number>> = {},
  quiet: Readonly<Record<string, number>> = {},
): Find {
  return (target, now, level) => {
    if (target.kind === 'channel' || target.kind === 'provider') return { people: [], because: '' }
    const { name } = target
    const next = (nobody[name] ?? 0) * MINUTE_MS
    const until = (quiet[name] ?? 0) * MINUTE_MS
    if (now < next) return { people: [], because: 'gap', ...(next !== Infinity && { next }) }
    return { people: [name], because: '', ...(now < until && level > HIGH && { quietUntil: until }) }
  }
}

/** A run from minute 0 on, one turn after the other. */
export class RunByHand {
  run: Run
  readonly plan: Escalation
  find: Find
  now = 0
  /** What was done: the minute and the effect. */
  readonly done: string[] = []

  constructor(of: { plan?: Escalation; find?: Find; level?: number; waitMs?: number } = {}) {
    this.plan = of.plan ?? plan()
    this.find = of.find ?? findOf()
    const { level = WARNING, waitMs } = of
    this.run = beginRun({ plan: this.plan, level, now: 0, ...(waitMs !== undefined && { waitMs }) })
  }

  /** Does what is due up to a minute. */
  until(minute: number): this {
    const end = minute * MINUTE_MS
    for (let turns = 0; (this.run.dueAt ?? Infinity) <= end; turns++) {
      if (turns > 200) throw new Error(`it does not end: ${this.done.slice(-10).join()}`)
      this.now = Math.max(this.now, this.run.dueAt ?? 0)
      this.happens({ kind: 'due' })
    }
    this.now = end
    return this
  }

  happens(event: RunEvent): this {
    const { run, effects } = nextStep({ plan: this.plan, run: this.run, event, now: this.now, find: this.find })
    this.run = run
    this.done.push(...effects.map((effect) => `${this.now / MINUTE_MS} ${written(effect)}`))
    return this
  }

  get dueIn(): number | undefined {
    return this.run.dueAt === undefined ? undefined : (this.run.dueAt - this.now) / MINUTE_MS
  }
}

function written(effect: RunEffect): string {
  if (effect.kind === 'ask' || effect.kind === 'no person') {
    const names = effect.asked.map(({ target, people }) => people.join() || target.kind).join(' ')
    const late = effect.kind === 'ask' && effect.lateMs > 0 ? ` late ${effect.lateMs / MINUTE_MS}` : ''
    return effect.kind === 'ask' ? `ask ${names}${late}` : `no person ${names}`
  }
  if (effect.kind === 'floor') return `floor ${effect.step}`
  return effect.kind === 'stand down' ? `stand down, ${effect.by} has it` : effect.kind
}
