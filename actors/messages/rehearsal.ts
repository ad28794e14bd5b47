import type { RehearsalResult } from '../../src/api/noise/rehearsal.ts'
import type {
  HistoryNumbers,
  HistoryPage,
  HistoryQuery,
  HistoryRange,
  StoredSilence,
} from '../../src/store/ports/history.ts'

/*
 * Messages between main and the thread of a rehearsal, which lives as long as that. It has one question under way at
 * most, so nothing queues up.
 */

/** From the thread. The first three are questions, which main passes on to storage. */
export type FromRehearsal =
  | { readonly kind: 'range'; readonly asked: HistoryQuery }
  | { readonly kind: 'page'; readonly numbers: HistoryNumbers }
  | { readonly kind: 'silences'; readonly from: number }
  /** From 0 to 1. */
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'done'; readonly result: RehearsalResult }
  | { readonly kind: 'failed'; readonly error: string }

/** To the thread: the answer of its question. */
export type ToRehearsal =
  | { readonly kind: 'answer'; readonly answer: HistoryRange | HistoryPage | readonly StoredSilence[] }
  | { readonly kind: 'refused'; readonly error: string }
