import { z } from 'zod'
import type { ChannelKind } from './channel.ts'
import { apiUrl, credential, others, text } from './options.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    mode: z.enum(['channel', 'bot'], { error: 'must be one of channel, bot' }).default('channel'),
    api_url: apiUrl('https://chatapi.viber.com'),
    other_channel_ids: others(z.string().trim().min(1)),
  })
  .transform((raw) => ({
    token: raw.token,
    channelId: raw.channel_id,
    mode: raw.mode,
    apiUrl: raw.api_url,
    others: raw.other_channel_ids,
  }))

export const messenger: ChannelKind<z.output<typeof options>> = {
  name: 'messenger',
  options,
  text: { escaping: 'none', limit: { max: 7_000, unit: 'utf16' } },
  defaults: { concurrency: 2, rate: { perSecond: 1, burst: 10 } },
  create: () => {
    throw new Error('not built yet')
  },
}
