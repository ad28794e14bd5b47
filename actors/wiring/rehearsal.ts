import type { RehearsalResult } from '../../src/api/noise/rehearsal.ts'
import type { History } from '../../src/store/noise/queries/history.ts'
import type { StoreBoot } from './boot.ts'

/** Two configurations and the stretch of history that they are compared on. */
export interface RehearsalPlan {
  readonly inForce: StoreBoot
  readonly proposed: StoreBoot
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
}

/** The stored incidents, perhaps on another thread. */
export type HistorySource = {
  readonly [K in keyof History]: (
    ...asked: Parameters<History[K]>
  ) => ReturnType<History[K]> | Promise<ReturnType<History[K]>>
}

/** Called with the part that is done, from 0 to 1. */
export type Progress = (done: number) => void | Promise<void>

/** The call that the thread of a rehearsal answers, over Comlink. It has one question under way at most. */
export interface RehearsalThread {
  /** @param plan `maxCpuMs`: processor time that it may take */
  rehearse(
    plan: RehearsalPlan & { readonly maxCpuMs: number },
    source: HistorySource,
    progress: Progress,
  ): Promise<RehearsalResult>
}
