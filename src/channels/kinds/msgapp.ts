import { z } from 'zod'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, credential, others, text } from '../options.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    api_url: apiUrl('https://api.telegram.org'),
    other_channel_ids: others(z.string().trim().min(1)),
  })
  .transform((raw) => ({
    token: raw.token,
    channelId: raw.channel_id,
    apiUrl: raw.api_url,
    others: raw.other_channel_ids,
  }))

export type MsgappOptions = z.output<typeof options>

/** Telegram Bot API, `sendMessage` and `editMessageText`, with HTML text. */
export const msgapp: ChannelKind<MsgappOptions> = {
  name: 'msgapp',
  options,
  threads: true,
  edits: true,
  text: { escaping: 'html', limit: { max: 4_096, unit: 'visible' } },
  defaults: { concurrency: 4, rate: { perSecond: 0.33, burst: 5 } },
}
