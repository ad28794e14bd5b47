import type { ChannelName } from '../domain/delivery.ts'
import type { ChannelKind } from './channel.ts'
import { chatws } from './kinds/chatws.ts'
import { console } from './kinds/console.ts'
import { email } from './kinds/email.ts'
import { messenger } from './kinds/messenger.ts'
import { msgapp } from './kinds/msgapp.ts'
import { officechat } from './kinds/officechat.ts'
import { workchat } from './kinds/workchat.ts'

/**
 * Every kind of channel by its name. A new one is a file in `kinds/` and a line here; docs/contributing.md lists the
 * rest.
 */
export const CHANNELS: { readonly [Name in ChannelName]: ChannelKind<unknown> } = {
  chatws,
  msgapp,
  messenger,
  officechat,
  workchat,
  email,
  console,
}

/** Returns the names of other destinations in a kind's options; undefined for kinds that cannot have any. */
export function targetsOf(options: unknown): readonly string[] | undefined {
  const others = typeof options === 'object' && options !== null && 'others' in options ? options.others : undefined
  return others instanceof Map ? [...others.keys()] : undefined
}
