import type { CodedError, ErrorCode } from '../domain/errors.ts'
import type { BodyFormat, Overrides, Source } from '../domain/incident.ts'
import type { Tail } from '../domain/subscription.ts'
import type { TopicOrigin } from '../domain/topic.ts'
import type { LoginThrottle } from './auth.ts'
import type { ParameterSettings } from './parameters.ts'

/** One request of incidents, stored all or none. */
export interface Intake {
  readonly format: BodyFormat
  /**
   * A repetition of the key is not stored again. An Idempotency-Key of 1 to 255 visible ASCII characters, or the
   * MessageId of a topic message.
   */
  readonly key?: string | undefined
  readonly overrides?: Overrides | undefined
  readonly source: Source
  /** Only of topic messages. */
  readonly origin?: TopicOrigin | undefined
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** Called once after the commit or the refusal of a request that was taken. */
  answer(result: IntakeAnswer): void
}

export type IntakeAnswer =
  /** `id`: its first incident. `count`: incidents of an array or of NDJSON, undefined for a single object. */
  | { readonly kind: 'created'; readonly id: string; readonly count?: number | undefined }
  /** `id`: first incident of the earlier request with the same key. */
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode }

/**
 * - taken: the request will be answered
 * - invalid: the body is not what `payloadsOf` accepts
 * - a code: there is no room, or no journal
 */
export type Submitted = 'taken' | 'invalid' | 'ingest_full' | 'storage_down'

/** Offers incidents without waiting. Copies what it keeps of `body`. */
export type Submit = (intake: Intake, body: Uint8Array) => Submitted

/** A request with the gateway secret. */
export interface AdminRequest extends Pick<PublicRequest, 'params' | 'headers'> {
  readonly query: URLSearchParams
  /**
   * Parsed JSON of at most `maxBodyBytes`, or a Buffer if the route takes bytes; undefined without a body, for GET and
   * DELETE.
   */
  readonly body: unknown
  /** '' without the header. */
  readonly contentType: string
}

export interface AdminAnswer<T = unknown> {
  readonly status: number
  readonly json: T
  readonly headers?: { readonly [name: string]: string }
}

export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below /api/admin/ or /api/agent/. `:name` matches one segment: `/api/admin/incidents/:id`. */
  readonly path: string
  /** Type of `body`. Default: `json`. */
  readonly takes?: 'json' | 'bytes'
  /** Names of further headers that it reads, in lower case. */
  readonly headers?: readonly string[]
  /** A CodedError becomes the answer of its code; any other rejection is logged and answered 500. */
  answer(request: AdminRequest): Promise<AdminAnswer>
}

/** A request without the gateway secret. No part of it may be trusted. */
export interface PublicRequest {
  /** The `:names` of the route's path, percent-decoded. */
  readonly params: { readonly [name: string]: string }
  /** Raw, without the question mark. */
  readonly query: string
  /** The headers that the route names, in lower case; '' for one that was not sent. */
  readonly headers: { readonly [name: string]: string }
  /** Empty for GET, HEAD and DELETE. */
  readonly body: Buffer
  /** The client's IP address as text. Of a request that a follower sent on: that of the follower's client. */
  readonly address: string
  /** The client's network as `addressKey` returns it, for a `LoginThrottle`. */
  readonly network: string
}

export interface PublicAnswer {
  readonly status: number
  readonly body: string | Uint8Array
  /** Must include `Content-Type`. They replace the front's security headers of the same name. */
  readonly headers: { readonly [name: string]: string }
}

/** A route without the gateway secret, outside the gated prefixes. It authenticates its requests itself. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Names of the headers that it reads, in lower case. */
  readonly headers?: readonly string[]
  /** Larger bodies, unpacked, are answered 413. Default: the front's limit. */
  readonly maxBodyBytes?: number
  /** Bodies with `Content-Encoding: gzip` are unpacked; other encodings are answered 415. */
  readonly gzip?: boolean
  /**
   * Clients show the intake token, if there is one, or the gateway secret. From one that shows neither no body is read: the
   * route gets an empty one, and refuses the request.
   */
  readonly takesIntakeToken?: boolean
  /** A follower sends the request on to the leader. Returns the answer to a request that finds no leader. */
  readonly unavailable?: (error: CodedError) => PublicAnswer
  /** Rejects like an AdminRoute. */
  answer(request: PublicRequest): Promise<PublicAnswer>
}

/** One file of the dashboard. */
export interface PageFile {
  /** `/` or `/assets/<name>`. The content of an asset never changes under its name. */
  readonly path: string
  /** Content-Type. */
  readonly type: string
  /** Hash of the content, in hexadecimal. */
  readonly tag: string
  readonly plain: Uint8Array
  /** The content by Content-Encoding, best first. */
  readonly encoded: { readonly [encoding: string]: Uint8Array }
}

/** Settings that a reload may change. */
export interface FrontSettings {
  /** Limit of a body after decompression. */
  readonly maxBodyBytes: number
  /** '': POST /api/incidents needs no token. */
  readonly intakeToken: string
  /** '': the gated paths answer 404. */
  readonly gatewaySecret: string
  readonly parameters: ParameterSettings
  /** Called with every payload as one line of JSON (alert.debug_body). */
  readonly onPayload?: (text: string) => void
}

export interface FrontLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Tickets of the live tail, shared by all fronts. Each admits one client. */
export interface TicketStore {
  /** Rejects with a CodedError. */
  issue(): string | Promise<string>
  /** Returns true once for each valid ticket. Rejects with a CodedError. */
  redeem(ticket: string): boolean | Promise<boolean>
  /** Invalidates all tickets that it can. */
  revoke(): void
}

export interface FrontOptions extends FrontSettings {
  readonly submit: Submit
  /** Epoch milliseconds at which a request came; those of the machine when absent. */
  readonly now?: () => number
  /**
   * Resolves with the names of the parts that are not ready; empty when ready. Not called again before it has settled.
   */
  readonly ready: () => Promise<readonly string[]>
  /** Resolves with Prometheus text. Absent: /metrics is an unknown path. */
  readonly metrics?: () => Promise<string>
  readonly admin: readonly AdminRoute[]
  readonly publicRoutes: readonly PublicRoute[]
  readonly tail: Tail
  readonly tickets: TicketStore
  /** Shared by all fronts of the process. Absent: the front counts wrong secrets alone. */
  readonly throttle?: LoginThrottle
  /**
   * Loads the dashboard, which is served while there is a gateway secret. Called at its first request, and again after
   * a rejection.
   */
  readonly pages?: () => Promise<readonly PageFile[]>
  readonly log: FrontLog
  /** Called with the code of every refused intake request. */
  readonly refused?: (code: ErrorCode) => void
  /** Called with the warnings of an accepted request whose parameters had no effect. */
  readonly warned?: (warnings: readonly string[]) => void
  /** Set when several fronts of this process share one port. A port that another process uses is still an error. */
  readonly sharedPort?: 'opens' | 'joins'
}
