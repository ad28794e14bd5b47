import { z } from 'zod'
import { camelKeys } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, chatKeys, chatTargets } from '../options.ts'

const options = z
  .object({
    ...chatKeys,
    api_url: apiUrl('https://slack.com'),
    button_text: z
      .string({ error: 'must be text' })
      .trim()
      .min(1, { error: 'must not be empty' })
      .max(75, { error: 'must be at most 75 characters' })
      .default('Acknowledge'),
  })
  .transform(({ other_channel_ids: others, ...raw }) => ({ ...camelKeys(raw), others }))

/** Channels, direct messages, groups, and people. */
const CHAT_ID = /^[CDGUW][A-Z0-9]{5,24}$/

export type ChatwsOptions = z.output<typeof options>

/** The provider's 13,200, less room for the button and for code fences that are opened again. */
const TEXT_MAX = 12_500

/** Slack Web API, `chat.postMessage` and `chat.update`. It answers HTTP 200 to nearly everything: `ok` in the body counts. */
export const chatws: ChannelKind<ChatwsOptions> = {
  name: 'chatws',
  options,
  threads: true,
  edits: true,
  targets: (known) => chatTargets(known, CHAT_ID),
  text: { escaping: 'chat', limit: { max: TEXT_MAX, unit: 'utf16' } },
  defaults: { concurrency: 4, rate: { perSecond: 1, burst: 4 } },
}
