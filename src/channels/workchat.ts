import { z } from 'zod'
import type { ChannelKind } from './channel.ts'
import { apiUrl, credential, secret, secretUrl, text } from './options.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    webhook_url: secretUrl().default(''),
    secret: secret(),
    api_url: apiUrl('https://open.larksuite.com'),
  })
  .transform((raw) => ({
    token: raw.token,
    webhookUrl: raw.webhook_url,
    secret: raw.secret,
    apiUrl: raw.api_url,
  }))

export const workchat: ChannelKind<z.output<typeof options>> = {
  name: 'workchat',
  options,
  text: { escaping: 'none', limit: { max: 18_000, unit: 'json-bytes' } },
  defaults: { concurrency: 2, rate: { perSecond: 1.6, burst: 5 } },
  create: () => {
    throw new Error('not built yet')
  },
}
