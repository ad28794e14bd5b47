import type { ChannelName, DeliveryState } from '../../domain/delivery/delivery.ts'
import type { NotifyStatus } from '../../domain/incident.ts'
import type { Way } from '../../policy/bundles/bundle-state.ts'
import type { OncallChange } from './oncall.ts'

/** Room of one destination's sender. */
export interface Capacity {
  readonly slots: number
  /** Bound of the payloads' sum; the first delivery is claimed even when it is larger. */
  readonly maxBytes: number
}

/** Effect of a settlement, for events and metrics. */
export type Settled = SettledDelivery | RevisionTold | { readonly kind: 'page'; readonly change: OncallChange }

/** A revision of a digest that the provider took. */
export interface RevisionTold {
  readonly kind: 'digest'
  readonly channel: ChannelName
  readonly way: Way
}

export interface SettledDelivery {
  readonly kind: 'delivery'
  readonly incidentId: string
  readonly title: string
  readonly severity: string
  /** Name of the destination; null for the default one. */
  readonly target: string | null
  /** Arrival of the incident, epoch milliseconds. */
  readonly createdAt: number
  /** Attempts made so far, those before a replay included. */
  readonly attempts: number
  readonly state: DeliveryState
  /** Number of the silence that held the incident; null: none did. */
  readonly silence: number | null
  /** Other than `pending`: this was the incident's last unfinished delivery. */
  readonly notifyStatus: NotifyStatus
}

/** An incident whose place in a digest was told. */
export interface Concluded {
  /** Number of the destination. */
  readonly code: number
  readonly severity: string
  readonly way: Way
  /** Epoch milliseconds. */
  readonly committedAt: number
  readonly toldAt: number
}
