import type { ErrorCode } from '../../domain/errors.ts'
import type { TextRules } from '../../domain/message.ts'
import type { TemplateSource } from '../templates/template.ts'

/** Given to every render thread when it starts. */
export interface RenderThreadData {
  /** What `env` may read in a template; nothing else of the environment reaches the thread. */
  readonly env: { readonly [name: string]: string }
  /** Address of the dashboard, for the pointer below a text that was cut. */
  readonly publicHost: string
}

/** What a render thread does in one turn: items of one channel with one template. */
export interface RenderTask {
  /** Names `source` and `rules`: the thread compiles them once. */
  readonly version: number
  readonly source: TemplateSource
  readonly rules: TextRules
  /** The payloads, one after the other; its buffer is transferred. */
  readonly payloads: Uint8Array<ArrayBuffer>
  /** Where each payload ends. */
  readonly ends: readonly number[]
  /** JSON of `IncidentFacts[]`: a text is copied at once, objects would be walked and rebuilt field by field. */
  readonly facts: string
  readonly ackUrls: readonly (string | undefined)[]
  /** The thread answers with what it has when a turn has lasted this long, so that other channels get theirs. */
  readonly turnMs: number
  readonly progress: Progress
}

/** One shared number: `STARTING`, then the 1-based number of the item being rendered, then `ENDED`. */
export type Progress = Int32Array<SharedArrayBuffer>
export const STARTING = 0
export const ENDED = -1

export function newProgress(): Progress {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

/** Why an item goes out as plain text, as plain data: a posted error would lose its code. */
export interface RenderFailure {
  readonly code: ErrorCode
  /** One line, at most 300 characters. */
  readonly message: string
}

export type RenderAnswer =
  /** Results of the first `texts.length` items, at least one; `subjects` and `failures`, where present, go by the same places. */
  | {
      readonly kind: 'rendered'
      /** null: the item's failure is in `failures`. */
      readonly texts: readonly (string | null)[]
      readonly renderMs: readonly number[]
      /** Places of the texts that were cut to the channel's limit. */
      readonly cuts: readonly number[]
      readonly subjects?: readonly (string | undefined)[]
      readonly failures?: readonly (RenderFailure | undefined)[]
    }
  /** The template does not parse: nothing was rendered. */
  | { readonly kind: 'invalid'; readonly failure: RenderFailure }
