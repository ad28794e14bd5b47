import { z } from 'zod'
import type { ChannelKind } from './channel.ts'
import { apiUrl, credential, others, text } from './options.ts'

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

export const msgapp: ChannelKind<z.output<typeof options>> = {
  name: 'msgapp',
  options,
  text: { escaping: 'html', limit: { max: 4_096, unit: 'visible' } },
  defaults: { concurrency: 1, rate: { perSecond: 1, burst: 1 } },
  create: () => {
    throw new Error('not built yet')
  },
}
