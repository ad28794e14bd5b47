import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { Adapter } from '../channel.ts'

/** Loads the adapter of a channel. A function for each, so that the code of a channel that is off is never loaded. */
export const ADAPTERS: { readonly [Name in ChannelName]: () => Promise<Adapter<unknown>> } = {
  chatws: async () => (await import('./chatws.ts')).chatws,
  msgapp: async () => (await import('./msgapp.ts')).msgapp,
  messenger: async () => (await import('./messenger.ts')).messenger,
  officechat: async () => (await import('./officechat.ts')).officechat,
  workchat: async () => (await import('./workchat.ts')).workchat,
  email: async () => (await import('./email.ts')).email,
  console: async () => (await import('./console.ts')).console,
  ntfy: async () => (await import('./ntfy.ts')).ntfy,
}
