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
type RunPhase = 'waiting' | 'asking' | 'acknowledged' | 'held' | 'exhausted' | 'ended'

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

type OfStep = { readonly step: number; readonly round: number; readonly asked: readonly Asked[] }

export type RunEffect =
  /** Step `step` (-1: the person who acknowledged, alone) asks now; `lateMs`: after its due time. */
  | ({ readonly kind: 'ask'; readonly lateMs: number } & OfStep)
  /** The step has no person; its channels and providers in `asked` are told all the same. `next`: one has one again then. */
  | ({ readonly kind: 'no person'; readonly next?: number } & OfStep)
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
