import type { ChannelName } from '../domain/delivery.ts'
import type { ChannelKind } from './channel.ts'
import { chatws } from './kinds/chatws.ts'
import { console } from './kinds/console.ts'
import { email } from './kinds/email.ts'
import { messenger } from './kinds/messenger.ts'
import { msgapp } from './kinds/msgapp.ts'
import { officechat } from './kinds/officechat.ts'
import { workchat } from './kinds/workchat.ts'

/** Every kind of channel by its name. `create` takes what the same kind's `options` made of the configuration, nothing else. */
export const CHANNELS: { readonly [Name in ChannelName]: ChannelKind<unknown> } = {
  chatws,
  msgapp,
  messenger,
  officechat,
  workchat,
  email,
  console,
}

/** Names of the other destinations in a kind's options; undefined for kinds that cannot have any. */
export function targetsOf(options: unknown): readonly string[] | undefined {
  const others = typeof options === 'object' && options !== null && 'others' in options ? options.others : undefined
  return others instanceof Map ? [...others.keys()] : undefined
}
