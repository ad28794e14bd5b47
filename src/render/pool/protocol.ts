import type { TextRules } from '../../domain/delivery/message.ts'
import type { ErrorCode } from '../../domain/errors.ts'
import type { TemplateSource } from '../templates/template.ts'

/** Start data of every render thread. */
export interface RenderThreadData {
  /** Environment variables that templates may read; the thread gets no others. */
  readonly env: { readonly [name: string]: string }
  /** Address of the dashboard, for the last line of a text that was cut. */
  readonly publicHost: string
}

/** Task of one turn of a render thread: items of one channel with one template. */
export interface RenderTask {
  /** Version of `source` and `rules`; the thread compiles each version once. */
  readonly version: number
  readonly source: TemplateSource
  readonly rules: TextRules
  /** The payloads, concatenated; the buffer is transferred. */
  readonly payloads: Uint8Array<ArrayBuffer>
  /** End offset of each payload. */
  readonly ends: readonly number[]
  /** JSON of `IncidentFacts[]`, because copying a string to a thread is faster than cloning objects. */
  readonly facts: string
  readonly ackUrls: readonly (string | undefined)[]
  /** Lines at the end of the texts; absent: none has one. */
  readonly lines?: readonly (string | undefined)[]
  /** Time of day that templates show; epoch milliseconds. */
  readonly now: number
  /** Time after which the thread returns the results so far, so that other channels are served. */
  readonly turnMs: number
  readonly progress: Progress
}

/** One number in shared memory: `STARTING`, then the 1-based number of the item being rendered, then `ENDED`. */
export type Progress = Int32Array<SharedArrayBuffer>
export const STARTING = 0
export const ENDED = -1

export function newProgress(): Progress {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

/** Reason of a fallback, as plain data, because an Error that is posted to another thread loses its code. */
export interface RenderFailure {
  readonly code: ErrorCode
  /** One line, at most 300 characters. */
  readonly message: string
}

export type RenderAnswer =
  /**
   * Results of the first `texts.length` items, at least one. `subjects` and `failures`, when present, have the same
   * indices.
   */
  | {
      readonly kind: 'rendered'
      /** null: see `failures`. */
      readonly texts: readonly (string | null)[]
      readonly renderMs: readonly number[]
      /** Indices of the texts that were cut to the channel's limit. */
      readonly cuts: readonly number[]
      readonly subjects?: readonly (string | undefined)[]
      readonly failures?: readonly (RenderFailure | undefined)[]
    }
  /**
   * The template does not parse: nothing was rendered. `report` is the whole error, with the line of the template and a
   * caret.
   */
  | { readonly kind: 'invalid'; readonly failure: RenderFailure; readonly report: string }
