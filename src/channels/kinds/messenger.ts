import { z } from 'zod'
import { camelKeys, oneOf } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, chatKeys, chatTargets, personId } from '../options.ts'

const options = z
  .object({
    ...chatKeys,
    mode: oneOf(['channel', 'bot']),
    api_url: apiUrl('https://chatapi.viber.com'),
  })
  .transform(({ other_channel_ids: others, ...raw }) => ({ ...camelKeys(raw), others }))

/** People and channels: base64. */
const CHAT_ID = /^[\w+/-]{8,80}={0,2}$/

export type MessengerOptions = z.output<typeof options>

/** Viber REST API: a bot writes to one person (`/pa/send_message`), or posts to a channel (`/pa/post`). */
export const messenger: ChannelKind<MessengerOptions> = {
  name: 'messenger',
  options,
  person: personId(CHAT_ID, 'the id of a user'),
  targets: (known) => chatTargets(known, CHAT_ID),
  /** The provider allows 30 KB of JSON; 7,000 UTF-16 units are at most 21 KB. */
  text: { escaping: 'none', limit: { max: 7_000, unit: 'utf16' } },
  defaults: { concurrency: 4, rate: { perSecond: 1, burst: 20 } },
}
