import type { RouteDeps } from '../route.ts'

export interface OncallDeps extends Pick<RouteDeps, 'askStorage' | 'askSenders' | 'settings' | 'now'> {
  /** Returns the key that signs links; undefined: none exists yet. */
  ackKey(): Uint8Array | undefined | Promise<Uint8Array | undefined>
}
