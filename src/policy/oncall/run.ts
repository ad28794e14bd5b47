import { ask, isLoudEnough, nextPersonAt } from './asked.ts'
import type { Escalation, Target } from './escalation.ts'

/**
 * Phases of a run, an escalation at work on one problem:
 *
 *     waiting        no one was asked; the first step is due at a time
 *     asking         a step ran; the next step or round is due at a time
 *     acknowledged   a person has it, with `ackForMs` until a time
 *     held           a silence; the run keeps its step
 *     exhausted      all rounds are over, or no step has a person now; with a time: a schedule has one again then
 *     ended          resolved, or on-call was switched off
 */
export type RunPhase = 'waiting' | 'asking' | 'acknowledged' | 'held' | 'exhausted' | 'ended'

/** Times are epoch milliseconds. */
export interface Run {
  readonly phase: RunPhase
  /** 0-based pass over the steps. */
  readonly round: number
  /** Index of the next step to run. */
  readonly step: number
  /** Absent: it waits for no time. */
  readonly dueAt?: number
  /** The full wait that `dueAt` began with: no wait is longer after a start. */
  readonly waitMs: number
  /** Loudest severity rank of the problem that the run knows. */
  readonly level: number
  /** Steps that were passed because the problem was not loud enough, of the present round. */
  readonly passed: readonly number[]
  /** Some step of the present round had a person. */
  readonly hadPerson: boolean
  /** Key or name of the person who acknowledged; `again`: the time is over and that person is asked alone. */
  readonly ack?: { readonly by: string; readonly at: number; readonly again?: true }
  /** Nobody was woken, or nobody answered, and nobody has acknowledged since. Kept to the end, for the record. */
  readonly unanswered?: true
  /** The step is due, and all its people have quiet hours until `dueAt`. */
  readonly quiet?: true
  /** Phase before `held`. */
  readonly heldFrom?: Exclude<RunPhase, 'held' | 'ended'>
}

export type RunEvent =
  /** `dueAt` is reached. It releases a held run: no active silence fits its problem any more. */
  | { readonly kind: 'due' }
  /** Every page of the last step is dead. */
  | { readonly kind: 'step failed' }
  | { readonly kind: 'louder'; readonly level: number }
  | { readonly kind: 'escalate'; readonly by: string }
  | { readonly kind: 'acknowledged'; readonly by: string }
  | { readonly kind: 'declined'; readonly by: string }
  | { readonly kind: 'resolved' }
  /** An active silence fits the problem. */
  | { readonly kind: 'silenced' }
  | { readonly kind: 'released' }
  | { readonly kind: 'switched off' }

/** A target of a step with the people whom it names now. */
export interface Asked {
  readonly target: Target
  /** Keys of people; empty for channels, providers, and where nobody is on call. */
  readonly people: readonly string[]
  /** Why they: for the record. */
  readonly because: string
}

export type RunEffect =
  /** Step `step` (-1: the person who acknowledged, alone) asks now; `lateMs`: after its due time. */
  | {
      readonly kind: 'ask'
      readonly step: number
      readonly round: number
      readonly asked: readonly Asked[]
      readonly lateMs: number
    }
  /** The step has no person; its channels and providers in `asked` are told all the same. `next`: one has one again then. */
  | {
      readonly kind: 'no person'
      readonly step: number
      readonly round: number
      readonly asked: readonly Asked[]
      readonly next?: number
    }
  /** The problem is not loud enough for the step. */
  | { readonly kind: 'floor'; readonly step: number; readonly round: number }
  /** Pages that are not sent are skipped. */
  | { readonly kind: 'cancel pages' }
  /** People who were asked get a line: `by` has it. */
  | { readonly kind: 'stand down'; readonly by: string }
  /** Nobody was woken: all rounds are over, or no step of a round had a person. */
  | { readonly kind: 'exhausted' }

/**
 * Names the people of a target at an instant, by the configuration in force. `next`: when a schedule without a person has one
 * again. `quietUntil`: the earliest end of their quiet hours, if all of them have such for a problem of severity rank `level`.
 */
export type Find = (
  target: Target,
  instant: number,
  level: number,
) => {
  readonly people: readonly string[]
  readonly because: string
  readonly next?: number
  readonly quietUntil?: number
}

export interface RunInput {
  readonly plan: Escalation
  readonly run: Run
  readonly event: RunEvent
  /** Epoch milliseconds. */
  readonly now: number
  readonly find: Find
}

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
