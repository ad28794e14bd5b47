import type { Escalation, EscalationStep, Target } from './escalation.ts'
import type { Run, RunEffect, RunEvent, RunInput } from './run-state.ts'

interface Moved {
  readonly run: Run
  readonly effects: readonly RunEffect[]
}

/** Least time for the person who is asked alone. */
const AGAIN_MS = 5 * 60_000

/** Returns the run that a problem begins with. `waitMs`: until its first step, by default that of the step. */
export function beginRun(given: {
  readonly plan: Escalation
  readonly level: number
  readonly now: number
  readonly waitMs?: number
}): Run {
  const { plan, level, now, waitMs = plan.steps[0]?.afterMs ?? 0 } = given
  return { phase: 'waiting', round: 0, step: 0, dueAt: now + waitMs, waitMs, level, passed: [], hadPerson: false }
}

/** Returns the run as it begins with another plan. */
export const atFirstStep = (run: Run): Run => ({ ...run, round: 0, step: 0, passed: [], hadPerson: false })

/** Decides the next state of a run, and what is done. At most one step runs. */
export function nextStep(input: RunInput): Moved {
  const { run, event, now } = input
  if (run.phase === 'ended') return moved(run)
  switch (event.kind) {
    case 'due':
      return due(input)
    case 'step failed':
    case 'louder':
    case 'escalate':
    case 'declined':
      return moved(
        run.phase === 'held' ? heldStill(hurried(input, event, unheld(run)), run) : hurried(input, event, run),
      )
    case 'acknowledged':
      return acknowledged(input, event.by)
    case 'silenced':
      return moved(isHeldNow(run, now) ? hold(run) : run)
    case 'released':
      return moved(released(run, now))
    case 'resolved':
    case 'switched off':
      return moved({ ...bare(run), phase: 'ended', waitMs: 0 }, [{ kind: 'cancel pages' }])
    default:
      return event satisfies never
  }
}

const moved = (run: Run, effects: readonly RunEffect[] = []): Moved => ({ run, effects })

/** Returns the run without what belongs to its phase. */
const bare = ({ dueAt: _dueAt, ack: _ack, quiet: _quiet, heldFrom: _heldFrom, ...run }: Run): Run => run

const asking = (run: Run, now: number, waitMs: number): Run => ({
  ...bare(run),
  phase: run.phase === 'waiting' ? 'waiting' : 'asking',
  dueAt: now + waitMs,
  waitMs,
})

type Hurry = Extract<RunEvent, { readonly kind: 'step failed' | 'louder' | 'escalate' | 'declined' }>

/** Returns the run, not held, after what may bring its next step forward. */
function hurried({ plan, now }: RunInput, event: Hurry, run: Run): Run {
  const next = asking(run, now, 0)
  switch (event.kind) {
    case 'step failed':
      return run.phase === 'asking' && !isResting(run, plan) ? next : run
    case 'escalate':
      return { ...next, round: Math.min(run.round, plan.repeat) }
    case 'declined':
      return run.phase === 'asking' || run.ack?.by === event.by ? next : run
    case 'louder': {
      const level = Math.min(run.level, event.level)
      const first = { ...next, level, round: 0, step: 0 }
      if (run.ack !== undefined) return { ...first, passed: [] }
      if (run.phase === 'exhausted') return first
      const isReached = run.passed.some((step) => isLoudEnough(plan.steps[step], level))
      return { ...(isReached || run.quiet ? next : run), level }
    }
  }
}

/** The rest between two rounds stays when a step fails: a chat that is down for minutes must not use up all rounds. */
const isResting = ({ round, step }: Run, { repeat }: Escalation) => step === 0 && round > 0 && round <= repeat

/** Without a due step, a silence has nothing to hold of these phases. */
const isHeldNow = ({ phase, dueAt }: Run, now: number) =>
  phase === 'waiting' || phase === 'asking' || phase === 'held' || (dueAt !== undefined && dueAt <= now)

function hold({ dueAt: _dueAt, quiet, ...run }: Run): Run {
  if (run.phase === 'held' || run.phase === 'ended') return run
  const waits = (run.phase === 'waiting' || run.phase === 'asking') && !quiet
  return { ...run, phase: 'held', heldFrom: run.phase, waitMs: waits ? run.waitMs : 0 }
}

/** A held run has a due time for as long as it is to be looked at again. */
const heldStill = (run: Run, { dueAt }: Run): Run => ({ ...hold(run), ...(dueAt !== undefined && { dueAt }) })

const unheld = ({ heldFrom, ...run }: Run): Run => ({ ...run, phase: heldFrom ?? run.phase })

const released = (run: Run, now: number): Run =>
  run.phase === 'held' ? { ...unheld(run), dueAt: now + run.waitMs } : run

function acknowledged({ plan: { ackForMs }, run, now }: RunInput, by: string): Moved {
  const until = ackForMs !== undefined && { dueAt: now + ackForMs }
  const { unanswered: _unanswered, ...rest } = bare(run)
  const taken: Run = { ...rest, phase: 'acknowledged', ...until, waitMs: ackForMs ?? 0, ack: { by, at: now } }
  const isNews = run.ack === undefined || run.ack.again === true
  return moved(taken, isNews ? [{ kind: 'cancel pages' }, { kind: 'stand down', by }] : [])
}

function due(input: RunInput): Moved {
  const { plan, run, now } = input
  if (run.phase === 'held') return moved(released(run, now))
  if (run.dueAt === undefined || now < run.dueAt) return moved(run)
  if (run.phase === 'acknowledged') return askAgain(input)
  const passed = run.passed.find((step) => isLoudEnough(plan.steps[step], run.level))
  if (passed !== undefined) return runPassed(input, passed)
  if (run.step === 0 && run.round > plan.repeat)
    return moved({ ...bare(run), phase: 'exhausted', round: plan.repeat, waitMs: 0, unanswered: true }, [
      { kind: 'exhausted' },
    ])
  return runStep(input)
}

/** The time of an acknowledgement is over: its person is asked alone, then the run begins at its first step. */
function askAgain(input: RunInput): Moved {
  const { plan, run, now } = input
  const found = ask(input, -1, [{ kind: 'person', name: run.ack?.by ?? '' }])
  if (found.quietUntil !== undefined) return moved(untilAwake(run, found.quietUntil, now))
  const wait = found.wakes ? Math.max(AGAIN_MS, plan.steps[1]?.afterMs ?? plan.repeatAfterMs) : 0
  const first = atFirstStep(asking(run, now, wait))
  return moved(found.wakes && run.ack ? { ...first, ack: { ...run.ack, again: true } } : first, [found.effect])
}

/** Runs a step that was passed before; the next one waits from now. */
function runPassed(input: RunInput, index: number): Moved {
  const { plan, run, now } = input
  const found = ask(input, index, plan.steps[index]?.notify ?? [])
  if (found.quietUntil !== undefined) return moved(untilAwake(run, found.quietUntil, now))
  const wait = run.step === 0 ? plan.repeatAfterMs : (plan.steps[run.step]?.afterMs ?? 0)
  const passed = run.passed.filter((each) => each !== index)
  return moved({ ...asking(run, now, wait), passed, hadPerson: run.hadPerson || found.wakes }, [found.effect])
}

function runStep(input: RunInput): Moved {
  const { plan, run, now } = input
  const [index, round] = [run.step, run.round]
  const step = plan.steps[index]
  const from: Run = { ...run, phase: 'asking', ...(index === 0 && { passed: [], hadPerson: false }) }
  if (step === undefined) return onward(input, from, [])
  if (!isLoudEnough(step, run.level))
    return onward(input, { ...from, passed: [...from.passed, index] }, [{ kind: 'floor', step: index, round }])
  const found = ask(input, index, step.notify)
  if (found.quietUntil !== undefined) return moved(untilAwake(run, found.quietUntil, now))
  return onward(input, { ...from, hadPerson: from.hadPerson || found.wakes }, [found.effect])
}

/** Moves on to the next step: after its wait if this one asked, else at once. */
function onward(input: RunInput, run: Run, effects: readonly RunEffect[]): Moved {
  const { plan, now } = input
  const next = plan.steps[run.step + 1]
  const waits = effects.some(({ kind }) => kind === 'ask')
  if (next !== undefined) return moved(asking({ ...run, step: run.step + 1 }, now, waits ? next.afterMs : 0), effects)
  if (run.hadPerson) return moved(asking({ ...run, round: run.round + 1, step: 0 }, now, plan.repeatAfterMs), effects)
  const at = nextPersonAt(input)
  const until = at === Infinity ? { waitMs: 0 } : { dueAt: at, waitMs: at - now }
  return moved({ ...bare(run), phase: 'exhausted', step: 0, ...until, unanswered: true }, [
    ...effects,
    { kind: 'exhausted' },
  ])
}

const untilAwake = (run: Run, quietUntil: number, now: number): Run => ({
  ...run,
  dueAt: quietUntil,
  waitMs: quietUntil - now,
  quiet: true,
})

const MINUTE_MS = 60_000

const isLoudEnough = (step: EscalationStep | undefined, level: number) => level <= (step?.minRank ?? Infinity)

interface Found {
  readonly effect: RunEffect
  /** It has a person, or a provider, which has one. */
  readonly wakes: boolean
  /** All whom it has have quiet hours until then. */
  readonly quietUntil?: number
}

/** Looks for the people of a step, -1 for the person who acknowledged. One of channels alone asks, and wakes nobody. */
function ask({ run, now, find }: RunInput, step: number, targets: readonly Target[]): Found {
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
function nextPersonAt({ plan, run, now, find }: RunInput): number {
  const steps = plan.steps.filter((step) => isLoudEnough(step, run.level))
  const found = steps.flatMap(({ notify }) => notify.map((target) => find(target, now, run.level)))
  const times = found.map(({ people, next = Infinity }) => (people.length > 0 ? now : next))
  return Math.max(now + MINUTE_MS, Math.min(...times))
}
