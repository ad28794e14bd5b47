import { z } from 'zod'
import type { ChannelKind } from './channel.ts'
import { apiUrl, credential, others, text } from './options.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    api_url: apiUrl('https://slack.com'),
    other_channel_ids: others(z.string().trim().min(1)),
    button_text: z
      .string({ error: 'must be text' })
      .trim()
      .min(1)
      .max(75, { error: 'must be at most 75 characters' })
      .default('Acknowledge'),
  })
  .transform((raw) => ({
    token: raw.token,
    channelId: raw.channel_id,
    apiUrl: raw.api_url,
    others: raw.other_channel_ids,
    buttonText: raw.button_text,
  }))

export const chatws: ChannelKind<z.output<typeof options>> = {
  name: 'chatws',
  options,
  text: { escaping: 'chat', limit: { max: 13_000, unit: 'utf16' } },
  defaults: { concurrency: 4, rate: { perSecond: 1, burst: 4 } },
  create: () => {
    throw new Error('not built yet')
  },
}
