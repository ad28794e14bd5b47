import type { ErrorCode } from '../domain/errors.ts'
import type { Overrides, Payload, Source } from '../domain/incident.ts'
import type { Tail } from '../domain/subscription.ts'
import type { TopicOrigin } from '../domain/topic.ts'

/** One incident of a request: the object, and its JSON exactly as it was sent. */
export interface IncidentDocument {
  readonly payload: Payload
  /** Valid UTF-8; may share its ArrayBuffer with other documents or requests: copy it, never transfer it. */
  readonly bytes: Uint8Array
}

/** What a request asks to be stored: all of it or nothing. */
export interface Intake {
  /** Never empty. */
  readonly documents: readonly IncidentDocument[]
  /** What comes again with the same key is not stored again: an Idempotency-Key (1 to 255 visible ASCII characters), or a topic's MessageId. */
  readonly key?: string
  readonly overrides?: Overrides
  /** `webhook` unless said otherwise. */
  readonly source?: Source
  /** Of a topic message. */
  readonly origin?: TopicOrigin
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

export type IntakeAnswer =
  /** `id`: of the first document. */
  | { readonly kind: 'created'; readonly id: string }
  /** `id`: of the first incident of the request that used the key before. */
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode }

/** Offers without waiting; false: there is no place (503 ingest_full). `answer` is called exactly once when true was returned. */
export type Submit = (intake: Intake, answer: (result: IntakeAnswer) => void) => boolean

/** Receives an operator's request that has shown the gateway secret. */
export interface AdminRequest {
  /** The `:names` of the route's path, percent-decoded. */
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  /** Parsed JSON of at most `maxBodyBytes`, or a Buffer where the route takes bytes; undefined without a body and for GET and DELETE. */
  readonly body: unknown
  /** As it was sent; '' when it was not. */
  readonly contentType: string
}

export interface AdminAnswer<T = unknown> {
  readonly status: number
  readonly json: T
  readonly headers?: { readonly [name: string]: string }
}

export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below /api/admin/ or /api/agent/; `:name` stands for one segment: `/api/admin/incidents/:id`. */
  readonly path: string
  /** What `body` is; JSON unless said otherwise. */
  readonly takes?: 'json' | 'bytes'
  /** A CodedError that it rejects with becomes the answer of its code; anything else is logged and answered 500. */
  answer(request: AdminRequest): Promise<AdminAnswer>
}

/** A request of a route that anybody may reach: nothing of it is to be trusted. */
export interface PublicRequest {
  /** The `:names` of the route's path, percent-decoded. */
  readonly params: { readonly [name: string]: string }
  /** As it was sent, without the question mark. */
  readonly query: string
  /** Those that the route names, lower case; '' when one was not sent. */
  readonly headers: { readonly [name: string]: string }
  /** Empty for GET. */
  readonly body: Buffer
}

export interface PublicAnswer {
  readonly status: number
  readonly body: string | Uint8Array
  /** `Content-Type` among them; they replace the front's own security headers of the same name. */
  readonly headers: { readonly [name: string]: string }
}

/** A route without a gate, outside the gated prefixes; it decides itself whom it believes. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Names of the headers it wants to see, lower case. */
  readonly headers?: readonly string[]
  /** Larger bodies are answered 413; absent: the front's own limit. */
  readonly maxBodyBytes?: number
  /** Rejects like an AdminRoute. */
  answer(request: PublicRequest): Promise<PublicAnswer>
}

/** One file of the dashboard. */
export interface PageFile {
  /** `/` or `/assets/<name>`, whose content never changes under that name. */
  readonly path: string
  /** Its Content-Type. */
  readonly type: string
  /** Names the content: hexadecimal digits. */
  readonly tag: string
  readonly plain: Uint8Array
  /** The same by Content-Encoding, best first. */
  readonly encoded: { readonly [encoding: string]: Uint8Array }
}

/** What may change while the front is serving. */
export interface FrontSettings {
  /** Of a body as it is after decompression. */
  readonly maxBodyBytes: number
  /** '': POST /api/incidents asks for no token. */
  readonly intakeToken: string
  /** '': the gated paths answer 404 like any unknown path. */
  readonly gatewaySecret: string
  /** Names of the other destinations per channel, and of `incident_io`, that can have them (an empty list: it can and has none). */
  readonly knownTargets: { readonly [channel: string]: readonly string[] }
  /** Names of the other routing keys of the pager. */
  readonly knownRoutingKeys: readonly string[]
  /** Shown every payload as one line of JSON (alert.debug_body). */
  readonly onPayload?: (text: string) => void
}

export interface FrontLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Where the tickets of the live tail are known: each lets one client in, at whichever front it comes. */
export interface TicketStore {
  issue(): string
  /** True once for each ticket. */
  redeem(ticket: string): boolean
  /** None that is out is good any more. */
  revoke(): void
}

export interface FrontOptions extends FrontSettings {
  readonly submit: Submit
  /** Names of what is not ready; empty: ready. Not called again before it has settled. */
  readonly ready: () => Promise<readonly string[]>
  /** Prometheus text; absent: /metrics is an unknown path. */
  readonly metrics?: () => Promise<string>
  readonly admin: readonly AdminRoute[]
  readonly publicRoutes: readonly PublicRoute[]
  readonly tail: Tail
  readonly tickets: TicketStore
  /** The dashboard, served while there is a gateway secret. Called when it is first asked for, and again after a rejection. */
  readonly pages?: () => Promise<readonly PageFile[]>
  readonly log: FrontLog
  /** Told of every request for intake that is refused, by whomever. */
  readonly refused?: (code: ErrorCode) => void
  /** Several fronts of this process listen on one port, of which the first opens it; a port in use is an error all the same. */
  readonly sharedPort?: 'opens' | 'joins'
}

export interface Front {
  /** Resolves with the bound port (0 asks for a free one); rejects when the address cannot be bound. */
  listen(host: string, port: number): Promise<number>
  /** Takes effect with the next request; what a request has begun with stays. */
  reload(settings: FrontSettings): void
  /** Sends a text to every client of the tail that is subscribed to the topic. */
  publish(topic: string, text: string): void
  /** From now on intake is answered 503 shutting_down and /readyz fails. */
  refuseNew(): void
  /** Stops listening, answers what is under way (for at most 5 s), ends all connections. Safe to call twice. */
  close(): Promise<void>
  /** Requests that are read and not answered yet. */
  inflight(): number
  /** All that is served, as `GET /healthz`. */
  readonly routes: readonly string[]
}
