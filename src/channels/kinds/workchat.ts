import { z } from 'zod'
import { named, text } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, credential, namedTargets, secretUrl, untrimmedSecret } from '../options.ts'

const options = z
  .object({
    token: credential(),
    /** No effect: a custom bot writes to the chat it was added to. Accepted so that older configurations load. */
    channel_id: text(),
    webhook_url: secretUrl().default(''),
    other_webhook_urls: named(secretUrl()),
    secret: untrimmedSecret(),
    api_url: apiUrl('https://open.larksuite.com'),
  })
  .transform((raw) => ({
    url: raw.webhook_url || `${raw.api_url}/open-apis/bot/v2/hook/${raw.token}`,
    others: raw.other_webhook_urls,
    token: raw.token,
    secret: raw.secret,
  }))

export type WorkchatOptions = z.output<typeof options>

/** Lark or Feishu: the hook of a custom bot, with an interactive card. */
export const workchat: ChannelKind<WorkchatOptions> = {
  name: 'workchat',
  options,
  targets: (known) => namedTargets(known.others),
  /** The provider allows 20 KB of JSON; 2 KB are for the frame of the card and its title. */
  text: { escaping: 'markdown', limit: { max: 18_000, unit: 'json-bytes' } },
  defaults: {
    concurrency: 4,
    rate: { perSecond: 1.6, burst: 5 },
    storm: { rate: { perSecond: 1, burst: 5 } },
  },
}
