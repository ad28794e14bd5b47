import type { ErrorCode } from '../../src/domain/errors.ts'
import type { EventFilter } from '../../src/domain/event-filter.ts'
import type { Source } from '../../src/domain/incident.ts'
import type { DisconnectReason, JoinRequest } from '../../src/domain/subscription.ts'
import type {
  AdminAnswer,
  AdminRequest,
  AdminRoute,
  PageFile,
  PublicAnswer,
  PublicRequest,
  PublicRoute,
} from '../../src/http/contract.ts'
import type { PackedError } from '../../src/kernel/error-transfer.ts'
import type { PeerMail } from './peer.ts'
import type { Query } from './query.ts'

/**
 * Between a front on a thread of its own (front-n) and main, which answers everything but the intake:
 *
 *     front-n --asked, counted, joined, refiltered, left, buffers--> relay/front-n on main
 *     front-n <--answered, published, sent, subscribed, cut--------- relay/front-n on main
 *
 * - to main: FRONT_REQUEST_WINDOW. When full, questions and messages of tail clients wait on the front; with as many
 *   questions waiting, further ones are answered 503. Counts add up until there is room.
 * - to the front: FRONT_WINDOW. When full, answers wait on main, and all tail clients of the front are disconnected.
 */
export type FrontRequestMail = MainRequest | CountsReport | Joined | Refiltered | Left | BufferReport | PeerMail
export type FrontMail = MainResponse | Published | Sent | Subscribed | Disconnect

/** Messages of one front that main has not handled; an `asked` counts until its answer has left. */
export const FRONT_REQUEST_WINDOW = 256
/**
 * Messages to one front that it has not handled. Large, because one event for the tail may be one message for each
 * client.
 */
export const FRONT_WINDOW = 1_024

/** `id` is higher than every id of the front's earlier incarnations. */
export interface MainRequest {
  readonly kind: 'asked'
  readonly id: number
  readonly query: MainQuery
}

/** Questions of a front to main. */
export interface MainQueries {
  admin(query: { readonly route: RouteName; readonly request: RemoteAdminRequest }): AdminAnswer
  public(query: { readonly route: RouteName; readonly request: PublicRequest }): PublicAnswer
  /** Names of what is not ready; empty: ready. */
  ready(): readonly string[]
  metrics(): string
  /** Files of the dashboard. */
  pages(): readonly PageFile[]
  issueTicket(): string
  redeemTicket(query: { readonly ticket: string }): boolean
}
export type MainQuery = Query<MainQueries>

/** URLSearchParams cannot be cloned to another thread: the query crosses as text. */
interface RemoteAdminRequest extends Omit<AdminRequest, 'query'> {
  readonly query: string
}
/** Method and path, such as `GET /api/admin/stats`. */
type RouteName = string
export const routeName = ({ method, path }: Pick<AdminRoute | PublicRoute, 'method' | 'path'>): RouteName =>
  `${method} ${path}`

export interface MainResponse {
  readonly kind: 'answered'
  readonly id: number
  readonly answer?: unknown
  /** Instead of an answer. */
  readonly error?: PackedError
}

/** Counts of a front since its last report; main adds them to its meters. */
export interface CountsReport {
  readonly kind: 'counted'
  readonly batches: readonly { readonly incidents: number; readonly ms: number }[]
  readonly accepted: { readonly [source in Source]?: number }
  readonly duplicates: number
  readonly warned: number
  readonly refused: { readonly [code in ErrorCode]?: number }
}

/** A client of the live tail connected to the front. */
export interface Joined {
  readonly kind: 'joined'
  readonly client: number
  readonly request: JoinRequest
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
/** For each client: bytes handed to its connection since it joined, and bytes that the connection still holds. */
export interface BufferReport {
  readonly kind: 'buffers'
  readonly clients: readonly { readonly client: number; readonly handed: number; readonly buffered: number }[]
}

/** A text for all clients of the front that are subscribed to the topic. */
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
/** Without `client`: all clients of the front. */
interface Disconnect {
  readonly kind: 'cut'
  readonly client?: number
  readonly reason: DisconnectReason
}

/** Routes that main serves, as far as a front must know them to accept requests for them. */
export interface MainRoutes {
  readonly admin: readonly AdminSpec[]
  readonly publicRoutes: readonly PublicSpec[]
  /** True when main serves metrics. */
  readonly metrics: boolean
}
export type AdminSpec = Pick<AdminRoute, 'method' | 'path' | 'takes' | 'headers'>
export type PublicSpec = Pick<PublicRoute, 'method' | 'path' | 'headers' | 'maxBodyBytes' | 'gzip' | 'takesIntakeToken'>
