import type { IncidentRecord } from '../../src/api/incident.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import type { DeliveryFilter, IncidentFilter, ReplayFilter } from '../../src/store/incidents/filters.ts'

/** Questions to an actor; each has its deadline where it is asked. */
export type StorageQuery =
  /** Proves that a write commits right now; rejects with storage_full or storage_down. */
  | { readonly kind: 'check' }
  /** From now on nothing is handed out, so that the senders can be drained. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'release' }
  /** How the thread is to log from now on. */
  | { readonly kind: 'log'; readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly secrets: readonly string[] }
  /** Answers a `StoreState`. */
  | { readonly kind: 'state' }
  | { readonly kind: 'incidents'; readonly filter: IncidentFilter }
  | { readonly kind: 'incident'; readonly id: string }
  | { readonly kind: 'deliveries'; readonly filter: DeliveryFilter }
  /** The health of every channel. */
  | { readonly kind: 'channels' }
  /** From now on, and after a restart, nothing is handed out to the channel. */
  | { readonly kind: 'pause'; readonly channel: ChannelName }
  | { readonly kind: 'resume'; readonly channel: ChannelName }
  /** Dead deliveries become pending again; answers how many. */
  | { readonly kind: 'replay'; readonly filter: ReplayFilter }
  /** Every finished delivery of the incident becomes pending again; false: no such incident. */
  | { readonly kind: 'resend'; readonly id: string }
  /** The incident without what belongs to it; undefined: no such incident. */
  | { readonly kind: 'record'; readonly id: string }
  /** Somebody takes care of the incident; answers `Acknowledged`. */
  | { readonly kind: 'acknowledge'; readonly id: string; readonly by: string }
  /** The problem is over, whatever its sender says; false: no such incident. */
  | { readonly kind: 'resolve'; readonly id: string; readonly by: string }

/** `already`: somebody else's word was earlier, and stays. The incident is as it is on disk now. */
export type AcknowledgeResult =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'acknowledged' | 'already'; readonly incident: IncidentRecord }
