import type { Outcome } from '../domain/delivery.ts'
import type { Page } from '../domain/oncall.ts'
import type { Post } from '../outbound/provider-client.ts'

/** Who wakes the on-call person. `tell` translates the provider's answer into an outcome and never throws for it. */
export interface Provider {
  /** Key of the circuit that this page counts against; holds no secret. */
  destination(page: Page): string
  /** Aborted when the deadline passes. `onConnected`: as in `PostRequest`. */
  send(page: Page, signal: AbortSignal, onConnected?: () => void): Promise<Outcome>
}

/** What each kind of provider is, before anybody configures it. One file a kind, one line in `index.ts`. */
export interface ProviderKind<Options> {
  /** Whether the options hold all that it needs. */
  ready(options: Options): boolean
  create(options: Options, deps: ProviderDeps): Provider
}

/** What a provider may use of the outside world. */
export interface ProviderDeps {
  readonly post: Post
  readonly links: PageLinks
  /** Epoch milliseconds. */
  now(): number
}

/** Addresses that a page can carry; undefined while nobody said where people reach the service. */
export interface PageLinks {
  /** Where a person acknowledges the incident; a resolved one has no such place. */
  ack(incident: Pick<Page, 'id' | 'createdAt' | 'status'>): string | undefined
  /** The incident in the dashboard. */
  incident(incident: Pick<Page, 'id'>): string | undefined
}
