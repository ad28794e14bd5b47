import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Page, PagerDispatch } from '../domain/delivery/dispatch.ts'
import type { Post } from '../outbound/provider-client.ts'

/** The chosen on-call provider, on the send thread. It decides nothing about retries. */
export interface Provider<P extends PagerDispatch = Page> {
  /** Returns the key of the circuit breaker for this page. It holds no secret. */
  destination(page: P): string
  /**
   * Sends one signal and translates the provider's answer into an outcome; never rejects for what the provider answers.
   * @param signal aborted when the deadline passes
   * @param onConnected called when a new connection was needed and stands
   */
  send(page: P, signal: AbortSignal, onConnected?: () => void): Promise<Outcome>
}

/** One kind of provider: a file in this folder and a line in `index.ts`. */
export interface ProviderKind<Options> {
  create(options: Options, deps: ProviderDeps): Provider
}

export interface ProviderDeps {
  readonly post: Post
  readonly links: PageLinks
  /** Epoch milliseconds. */
  now(): number
}

/** Links for a page; undefined without a `public_host`. */
export interface PageLinks {
  /** Returns the acknowledge link; undefined for a resolved incident. */
  ack(incident: Pick<Page, 'id' | 'createdAt' | 'status' | 'problem'>): string | undefined
  /** Returns the address of the incident in the dashboard. */
  incident(incident: Pick<Page, 'id'>): string | undefined
}
