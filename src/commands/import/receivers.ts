import type { Path } from '../../config/config-error.ts'
import { isObject, type JsonObject } from '../../text/json-object.ts'
import { place } from './tree.ts'
import type { Imported, TakeNote } from './written.ts'

/** Destinations of the alerts of a receiver. */
export interface Receiver {
  /** `to` of a rule; undefined: nothing of it has a counterpart. */
  readonly to: readonly object[] | 'none' | undefined
  /** Name of its routing key. */
  readonly routingKey?: string
}

/** Translates one entry of a receiver's list into settings of a channel. Returns false when it has no counterpart. */
type Take = (given: JsonObject, name: string, tree: Imported['tree']) => boolean

/** Alertmanager posts to webhooks; here a bot does, whose token its file does not have. */
const REFERENCE_TO_TOKEN = `\${SLACK_TOKEN}`

const TAKES: { readonly [list: string]: { readonly channel: string; readonly take: Take } } = {
  slack_configs: {
    channel: 'chatws',
    take(given, name, tree) {
      const channel = plain(given.channel)
      if (channel === '') return false
      destination(tree, ['chatws', 'channel_id', 'other_channel_ids'], name, channel)
      place(tree, ['alert', 'chatws', 'token'], REFERENCE_TO_TOKEN)
      return true
    },
  },
  telegram_configs: {
    channel: 'msgapp',
    take(given, name, tree) {
      destination(tree, ['msgapp', 'channel_id', 'other_channel_ids'], name, String(given.chat_id ?? ''))
      place(tree, ['alert', 'msgapp', 'token'], secretOf(given, 'bot_token'))
      return given.chat_id !== undefined
    },
  },
  email_configs: {
    channel: 'email',
    take(given, name, tree) {
      destination(tree, ['email', 'to', 'other_recipients'], name, plain(given.to))
      return plain(given.to) !== ''
    },
  },
  msteams_configs: { channel: 'officechat', take: takeFlow },
  msteamsv2_configs: { channel: 'officechat', take: takeFlow },
}

function takeFlow(given: JsonObject, name: string, tree: Imported['tree']): boolean {
  const url = secretOf(given, 'webhook_url')
  destination(tree, ['officechat', 'flow_url', 'other_flow_urls'], name, url)
  return url !== ''
}

/** Translates a receiver. A name may be taken by several entries of one kind: the later ones get a number. */
export function takeReceiver(receiver: JsonObject, path: Path, out: Imported, note: TakeNote): Receiver {
  const name = nameOf(plain(receiver.name))
  const to: object[] = []
  let routingKey: string | undefined
  let isEmpty = true
  for (const [list, entries] of Object.entries(receiver)) {
    if (!list.endsWith('_configs') || !Array.isArray(entries)) continue
    for (const [nth, given] of entries.entries()) {
      isEmpty = false
      const own = to.length === 0 ? name : `${name}-${to.length + 1}`
      const known = TAKES[list]
      if (list === 'pagerduty_configs' && isObject(given)) routingKey = takePager(given, name, out.tree)
      else if (known !== undefined && isObject(given) && known.take(given, own, out.tree)) {
        place(out.tree, ['alert', known.channel, 'enable'], true)
        to.push({ [known.channel]: own })
      } else note([...path, list, nth], `has no counterpart: the receiver ${name} does without it`)
    }
  }
  const told = to.length > 0 ? to : isEmpty || routingKey !== undefined ? 'none' : undefined
  if (told === undefined)
    note(path, `nothing of the receiver ${name} has a counterpart: its alerts go to every enabled channel`)
  return { to: told, ...(routingKey !== undefined && { routingKey }) }
}

function takePager(given: JsonObject, name: string, tree: Imported['tree']): string {
  const key = secretOf(given, 'routing_key') || secretOf(given, 'service_key')
  const pagerduty = ['oncall', 'pagerduty'] as const
  place(tree, ['oncall', 'provider'], 'pagerduty')
  place(tree, ['oncall', 'wait_minutes'], 0)
  if (!hasAt(tree, [...pagerduty, 'routing_key'])) place(tree, [...pagerduty, 'routing_key'], key)
  place(tree, [...pagerduty, 'other_routing_keys', name], key)
  return name
}

/** Adds a destination by its name; the first one of a channel is its default one, too. */
function destination(
  tree: Imported['tree'],
  [channel, main, others]: readonly [string, string, string],
  name: string,
  value: string,
) {
  if (!hasAt(tree, ['alert', channel, main])) place(tree, ['alert', channel, main], value)
  place(tree, ['alert', channel, others, name], value)
}

function hasAt(tree: unknown, [key, ...rest]: Path): boolean {
  if (key === undefined) return true
  return isObject(tree) && tree[key] !== undefined && hasAt(tree[key], rest)
}

/** Returns a name that rules and destinations may have. */
export const nameOf = (name: string): string => name.replace(/[^\w.@-]+/g, '-').slice(0, 60) || 'receiver'

/** Returns a text as it is: `${` would be a reference here. */
export const plain = (value: unknown): string => String(value ?? '').replaceAll('${', () => '$${')

/** Returns a secret, or a reference to the file that holds it. */
export function secretOf(given: JsonObject, key: string): string {
  const file = given[`${key}_file`]
  return file === undefined ? plain(given[key]) : `\${file:${String(file)}}`
}
