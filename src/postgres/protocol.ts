import type { MessagePort } from 'node:worker_threads'
import type { Endpoint } from './settings.ts'

/** Start of the thread that holds the connections of one owner. */
export interface WorkerStart {
  /** Requests and replies, in turn. */
  readonly lane: MessagePort
  /** One Int32: the number of messages that the thread has sent on `lane`. */
  readonly sent: SharedArrayBuffer
  readonly applicationName: string
}

/** To the thread. `connection` counts the connections of the owner: what concerns an earlier one is void. */
export type ToWorker =
  | { readonly kind: 'connect'; readonly connection: number; readonly plan: ConnectPlan }
  | { readonly kind: 'send'; readonly connection: number; readonly bytes: Uint8Array }

export interface ConnectPlan {
  /** Tried in this order; the first that is not in recovery is kept. */
  readonly endpoints: readonly Endpoint[]
  /** For all of them. */
  readonly timeoutMs: number
  /** Settings of the session, by name; empty with a transaction pooler. */
  readonly session: { readonly [name: string]: string }
}

/** To the owner. */
export type ToOwner =
  | { readonly kind: 'connected'; readonly connection: number; readonly server: ServerIdentity }
  | { readonly kind: 'reply'; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly kind: 'lost'; readonly connection: number; readonly sqlstate: string; readonly message: string }

export interface ServerIdentity {
  readonly host: string
  readonly port: number
  /** Made by initdb; a copy of the server has the same. */
  readonly system: string
  /** Grows with each promotion of a standby. */
  readonly timeline: string
}
