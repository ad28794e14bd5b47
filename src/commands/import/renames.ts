import type { Path } from '../../config/config-error.ts'

/** Channels of Versus Incident and ours. */
export const CHANNELS_OF_VERSUS = new Map([
  ['slack', 'chatws'],
  ['telegram', 'msgapp'],
  ['viber', 'messenger'],
  ['msteams', 'officechat'],
  ['lark', 'workchat'],
  ['email', 'email'],
])

/** Keys that have another name here. The longest beginning of a path counts. */
const RENAMES: readonly (readonly [theirs: string, ours: string])[] = [
  ['alert.slack.message_properties.button_text', 'alert.chatws.button_text'],
  ['alert.telegram.bot_token', 'alert.msgapp.token'],
  ['alert.telegram.chat_id', 'alert.msgapp.channel_id'],
  ['alert.viber.bot_token', 'alert.messenger.token'],
  ['alert.viber.api_type', 'alert.messenger.mode'],
  ['alert.msteams.power_automate_url', 'alert.officechat.flow_url'],
  ['alert.msteams.other_power_urls', 'alert.officechat.other_flow_urls'],
  ['alert.msteams.webhook_url', 'alert.officechat.flow_url'],
  ['alert.msteams.other_webhook_urls', 'alert.officechat.other_flow_urls'],
  ...Array.from(CHANNELS_OF_VERSUS, ([theirs, ours]) => [`alert.${theirs}`, `alert.${ours}`] as const),
  ['queue.sns', 'topicsvc'],
]

/** Parts without a counterpart, with what to know about each. */
const GONE: readonly (readonly [theirs: string, advice: string])[] = [
  ['redis', 'is not needed: timers and acknowledgements are in the data directory'],
  ['oncall.initialized_only', 'is not needed: with "enable: false", ?oncall_enable=true pages for one incident'],
  ['queue.enable', 'is not needed: topicsvc.enable switches the topic on'],
  ['queue.debug_body', 'is not needed: alert.debug_body concerns the topic too'],
  ['queue.sqs', 'has no counterpart: let a function post the messages of the queue to /api/incidents'],
  ['alert.slack.message_properties.button_style', 'has no counterpart: the button has one style'],
  [
    'alert.slack.message_properties.disable_button',
    'has no counterpart: every incident that can be acknowledged has the button',
  ],
  ['storage.postgres', 'is not read: give storage.postgres.url when you move to a database'],
  ['agent.ai.analyze', 'has no counterpart: findings are explained, incidents are not analysed on request'],
]

/** Returns our path for a path of theirs: the same one where the keys have the same names. */
export function renamed(path: Path): Path {
  const text = path.join('.')
  const found = RENAMES.filter(([theirs]) => begins(text, theirs)).sort(([a], [b]) => b.length - a.length)[0]
  if (found === undefined) return path
  const [theirs, ours] = found
  return [...ours.split('.'), ...path.slice(theirs.split('.').length)]
}

/** Returns what to say about a path without a counterpart; undefined when it is none of the known ones. */
export function adviceFor(path: Path): string | undefined {
  const text = path.join('.')
  return GONE.find(([theirs]) => begins(text, theirs))?.[1]
}

const begins = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}.`)
