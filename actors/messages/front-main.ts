import type { ErrorCode } from '../../src/domain/errors.ts'
import type { EventFilter } from '../../src/domain/event-filter.ts'
import type { Source } from '../../src/domain/incident.ts'
import type { AdminRequest, AdminRoute, FrontSettings, PublicRequest, PublicRoute } from '../../src/http/contract.ts'
import type { PackedError } from '../../src/kernel/error-transfer.ts'
import type { LogSettings } from '../../src/telemetry/log.ts'
import type { PeerMail } from './peer.ts'

/**
 * Between the fronts on threads of their own and main, where everything but the intake is answered:
 *
 *     front/<n> --asked, counted, joined, ...--> relay/<n>      both wait when the other is full; the front answers 503 for what would wait too long
 *     front/<n> <--answered, frames, ...-------- relay/<n>
 */
export type FrontRequestMail = MainRequest | CountsReport | Joined | Refiltered | Left | BufferReport | PeerMail
export type FrontMail = MainResponse | Published | Sent | Subscribed | Disconnect

/** Questions of one front that may be under way to main, and main's messages to it. */
export const FRONT_REQUEST_WINDOW = 256
/** Answers to those, and what the live tail has for the front's clients: the front takes it from its mailbox with every turn. */
export const FRONT_WINDOW = 1_024

/** `id` is one that no earlier life of the thread has used. */
export interface MainRequest {
  readonly kind: 'asked'
  readonly id: number
  readonly query: MainQuery
}
export type MainQuery =
  | { readonly kind: 'admin'; readonly route: RouteName; readonly request: RemoteAdminRequest }
  | { readonly kind: 'open'; readonly route: RouteName; readonly request: PublicRequest }
  /** What `FrontOptions` calls so. */
  | { readonly kind: 'ready' | 'metrics' | 'pages' }

/** URLSearchParams cannot cross. */
interface RemoteAdminRequest extends Omit<AdminRequest, 'query'> {
  readonly query: string
}
/** `GET /api/admin/stats` and so on. */
type RouteName = string
export const routeName = ({ method, path }: Pick<AdminRoute | PublicRoute, 'method' | 'path'>): RouteName =>
  `${method} ${path}`

export interface MainResponse {
  readonly kind: 'answered'
  readonly id: number
  readonly answer?: unknown
  /** In place of an answer. */
  readonly error?: PackedError
}

/** What a front has counted since it last said so. */
export interface CountsReport {
  readonly kind: 'counted'
  readonly batches: readonly { readonly incidents: number; readonly ms: number }[]
  readonly accepted: { readonly [source in Source]?: number }
  readonly duplicates: number
  readonly refused: { readonly [code in ErrorCode]?: number }
}

/** A client of the live tail has come, on a connection of the front's. */
export interface Joined {
  readonly kind: 'joined'
  readonly client: number
  readonly request: { readonly filter: EventFilter; readonly after?: string }
}
export interface Refiltered {
  readonly kind: 'refiltered'
  readonly client: number
  readonly filter: EventFilter
}
export interface Left {
  readonly kind: 'left'
  readonly client: number
}
/** What connections hold now, of the bytes that have been handed to them one by one. */
export interface BufferReport {
  readonly kind: 'held'
  readonly clients: readonly { readonly client: number; readonly handed: number; readonly buffered: number }[]
}

/** To all connections of the front that are subscribed. */
interface Published {
  readonly kind: 'published'
  readonly topic: string
  readonly text: string
}
interface Sent {
  readonly kind: 'sent'
  readonly client: number
  readonly text: string
}
interface Subscribed {
  readonly kind: 'subscribed' | 'unsubscribed'
  readonly client: number
  readonly topic: string
}
/** Absent: all of them; the front did not keep up itself. */
interface Disconnect {
  readonly kind: 'cut'
  readonly client?: number
}

/** Asked of a front by main. */
export type FrontQuery =
  | { readonly kind: 'listen'; readonly host: string; readonly port: number }
  | { readonly kind: 'settings'; readonly settings: RemoteFrontSettings }
  | { readonly kind: 'refuse' }

/** What a front is given of the settings; `debugBody`: payloads are printed there. */
export interface RemoteFrontSettings {
  readonly front: Omit<FrontSettings, 'onPayload'>
  readonly debugBody: boolean
  readonly log: LogSettings
}

/** A route of main's, as far as a front has to know it. */
export type AdminSpec = Pick<AdminRoute, 'method' | 'path' | 'takes'>
export type OpenSpec = Pick<PublicRoute, 'method' | 'path' | 'headers' | 'maxBodyBytes'>
export interface MainRoutes {
  readonly admin: readonly AdminSpec[]
  readonly publicRoutes: readonly OpenSpec[]
  /** Whether there are metrics to be asked for. */
  readonly metrics: boolean
}
