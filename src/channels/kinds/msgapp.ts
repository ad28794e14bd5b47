import { z } from 'zod'
import type { ChannelKind } from '../channel.ts'
import { acceptIds, apiUrl, chatTargets, credential, others, text } from '../options.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    api_url: apiUrl('https://api.telegram.org'),
    other_channel_ids: others(z.string().trim().min(1)),
    accept_ids: acceptIds(),
  })
  .transform((raw) => ({
    token: raw.token,
    channelId: raw.channel_id,
    apiUrl: raw.api_url,
    others: raw.other_channel_ids,
    acceptIds: raw.accept_ids,
  }))

/** Numbers, and the user names of public channels. */
const CHAT_ID = /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/

export type MsgappOptions = z.output<typeof options>

/** Telegram Bot API, `sendMessage` and `editMessageText`, with HTML text. */
export const msgapp: ChannelKind<MsgappOptions> = {
  name: 'msgapp',
  options,
  threads: true,
  edits: true,
  targets: (known) => chatTargets(known, CHAT_ID),
  text: { escaping: 'html', limit: { max: 4_096, unit: 'visible' } },
  defaults: { concurrency: 4, rate: { perSecond: 0.33, burst: 5 } },
}
