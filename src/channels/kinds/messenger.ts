import { z } from 'zod'
import type { ChannelKind } from '../channel.ts'
import { acceptIds, apiUrl, chatTargets, credential, others, text } from '../options.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    mode: z.enum(['channel', 'bot'], { error: 'must be one of channel, bot' }).default('channel'),
    api_url: apiUrl('https://chatapi.viber.com'),
    other_channel_ids: others(z.string().trim().min(1)),
    accept_ids: acceptIds(),
  })
  .transform((raw) => ({
    token: raw.token,
    channelId: raw.channel_id,
    mode: raw.mode,
    apiUrl: raw.api_url,
    others: raw.other_channel_ids,
    acceptIds: raw.accept_ids,
  }))

/** People and channels: base64. */
const CHAT_ID = /^[\w+/-]{8,80}={0,2}$/

export type MessengerOptions = z.output<typeof options>

/** Viber REST API: a bot writes to one person (`/pa/send_message`), or posts to a channel (`/pa/post`). */
export const messenger: ChannelKind<MessengerOptions> = {
  name: 'messenger',
  options,
  targets: (known) => chatTargets(known, CHAT_ID),
  /** The provider allows 30 KB of JSON; 7,000 UTF-16 units are at most 21 KB. */
  text: { escaping: 'none', limit: { max: 7_000, unit: 'utf16' } },
  defaults: { concurrency: 4, rate: { perSecond: 1, burst: 20 } },
}
