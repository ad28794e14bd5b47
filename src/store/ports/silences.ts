import type { SilenceRecord } from '../../api/noise/silence.ts'
import type { SilenceEvent } from '../../domain/event.ts'
import type { CompileSilence, SilenceSettings } from '../../policy/silences/settings.ts'

/** Settings of a store for silences. */
export interface SilenceRules {
  readonly compile: CompileSilence
  /** Silences of the configuration; their names are different. */
  readonly configured: readonly SilenceSettings[]
}

/** A window that began or ended. */
export type SilenceEdge = Omit<SilenceEvent, 'kind' | 'at'>

/** A silence without what it holds. Live ones, and ended ones until they are deleted. */
export interface PlainSilence extends Pick<SilenceRecord, 'id' | 'origin' | 'state' | 'starts_at' | 'ends_at'> {
  readonly settings: SilenceSettings
  /** Epoch milliseconds. */
  readonly changedAt: number
  /** Fingerprints of problems that keep it in force (`while`), at most 100. */
  readonly causes: readonly string[]
}
