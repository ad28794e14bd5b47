import type { SilenceDetail, SilencePage, SilencePreview, SilenceRecord } from '../../api/noise/silence.ts'
import type { SilenceEvent } from '../../domain/event.ts'
import type { CompileSilence, SilenceSettings } from '../../policy/silences/settings.ts'
import type { SilenceFilter } from '../noise/queries/filters.ts'
import type { OncallChange } from './oncall.ts'

/** Settings of a store for silences. */
export interface SilenceRules {
  readonly compile: CompileSilence
  /** Silences of the configuration; their names are different. */
  readonly configured: readonly SilenceSettings[]
}

/** A window that began or ended. */
export type SilenceEdge = Omit<SilenceEvent, 'kind' | 'at'>

/** Result of a change of a silence. */
interface SilenceChanged {
  readonly silence: SilenceRecord
  /** Timers that were held or armed by it. */
  readonly oncall: readonly OncallChange[]
}

/** Snapshot for metrics. */
export interface SilenceState {
  readonly active: number
  /** Live silences that causes of those with `equal` made. */
  readonly children: number
  /** Deliveries and timers that wait for the end of a silence. */
  readonly held: number
  /** For how long the oldest critical problem has been held, in milliseconds; 0: none is. */
  readonly criticalMs: number
}

/** A silence without what it holds. Live ones, and ended ones until they are deleted. */
export interface PlainSilence extends Pick<SilenceRecord, 'id' | 'origin' | 'state' | 'starts_at' | 'ends_at'> {
  readonly settings: SilenceSettings
  /** Epoch milliseconds. */
  readonly changedAt: number
  /** Fingerprints of problems that keep it in force (`while`), at most 100. */
  readonly causes: readonly string[]
}

/** Silences. Store thread; those that change something are transactions of their own. */
export interface SilencePort {
  /** A silence of an earlier life has not ended: `start` is needed before the first turn. */
  hasLive(): boolean
  isStarted(): boolean
  /** Compiles what is stored and follows the configuration; ends windows that a stop of the service skipped. Once. */
  start(rules: SilenceRules): readonly OncallChange[]
  /**
   * Adds a silence, after `start`. Throws `bad_parameter` when 1,000 are live, and `silence_too_broad` when it would have
   * held more than half of the incidents of the last 24 hours and `broad` is not true.
   */
  add(settings: SilenceSettings, broad: boolean): SilenceChanged & { readonly preview: SilencePreview }
  /**
   * Replaces the settings of a live silence. Undefined: no such silence. Throws `silence_expired` for one that has ended,
   * `bad_parameter` for one of the configuration.
   */
  change(id: number, settings: SilenceSettings): SilenceChanged | undefined
  /** Ends a silence now. Results and errors as of `change`. */
  end(id: number, by: string): SilenceChanged | undefined
  /** Undefined: no such silence. */
  settings(id: number): SilenceSettings | undefined
  list(filter: SilenceFilter): SilencePage
  detail(id: number): SilenceDetail | undefined
  /** `live`: leaves out those that have ended. `id`: that one alone. */
  plain(live: boolean, id?: number): readonly PlainSilence[]
  /** Looks at the stored incidents of the last 24 hours, at most 20,000. */
  preview(settings: SilenceSettings): SilencePreview
  state(): SilenceState
}
