import type { FrontSettings } from '../../src/http/contract.ts'
import type { LogSettings } from '../../src/telemetry/log.ts'

/** Questions to a front on a thread of its own. All reject with `ask_timeout` or `peer_down`. */
export interface FrontQueries {
  /** Listens on main's port, returns the port. */
  listen(query: { readonly host: string; readonly port: number }): number
  settings(query: { readonly settings: RemoteFrontSettings }): void
  /** Answers new incidents 503 `shutting_down` from now on. */
  refuse(): void
}

/** Settings of a front that may change while it serves. */
export interface RemoteFrontSettings {
  readonly front: Omit<FrontSettings, 'onPayload'>
  /**
   * Prints every payload on the front's thread (`alert.debug_body`); stands for `onPayload`, which cannot cross
   * threads.
   */
  readonly debugBody: boolean
  readonly log: LogSettings
}
