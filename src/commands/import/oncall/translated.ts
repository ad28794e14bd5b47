import type { Span } from '../../../policy/oncall/settings.ts'

/** A part of the configuration, as it is written. */
export type Tree = { readonly [key: string]: unknown }

/** A time with its person, as a provider rendered it. */
export interface Rendering extends Span {
  /** `who`: key of a person, or words for what has no counterpart. */
  readonly duties: readonly (Span & { readonly who: string })[]
}

/** A schedule by its new name, in the readings that the export leaves open: what was rendered picks one. */
export interface Readings {
  readonly name: string
  readonly readings: readonly Tree[]
  readonly rendered: readonly Rendering[]
}

/** Parts of an export, in our words. */
export interface Translated {
  readonly people: { readonly [key: string]: Tree }
  readonly schedules: readonly Readings[]
  readonly escalations: { readonly [name: string]: Tree }
  /** Parts of the export without a counterpart. */
  readonly notes: readonly string[]
}
