import type { ChannelName, KnownTargets } from '../domain/delivery/delivery.ts'
import type { ChannelKind, ChannelSettings } from './channel.ts'
import { chatws } from './kinds/chatws.ts'
import { console } from './kinds/console.ts'
import { email } from './kinds/email.ts'
import { messenger } from './kinds/messenger.ts'
import { msgapp } from './kinds/msgapp.ts'
import { ntfy } from './kinds/ntfy.ts'
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
  ntfy,
}

/** Returns what a channel advises about its options. */
export const adviceOf = ({ name, options }: ChannelSettings): string[] => CHANNELS[name].advice?.(options) ?? []

/** Returns the other destinations of a channel; undefined for kinds that cannot have any. */
export const targetsOf = ({ name, options }: ChannelSettings): KnownTargets | undefined =>
  CHANNELS[name].targets?.(options)

/** Returns the channel with more destinations, which `targetsOf` of the one before does not have. Its kind reaches persons. */
export function withAddresses(channel: ChannelSettings, addresses: ReadonlyMap<string, string>): ChannelSettings {
  const options = channel.options as { readonly others: ReadonlyMap<string, string> }
  return { ...channel, options: { ...options, others: new Map([...options.others, ...addresses]) } }
}

/** Returns how presses of a channel's buttons come back; 'off': its messages have none. */
export const answersModeOf = ({ name, options }: Pick<ChannelSettings, 'name' | 'options'>): string =>
  CHANNELS[name].answersMode?.(options) ?? 'off'
