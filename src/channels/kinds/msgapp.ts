import { z } from 'zod'
import { camelKeys, oneOf } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, chatKeys, chatTargets, credential, personId } from '../options.ts'

const options = z
  .object({
    ...chatKeys,
    api_url: apiUrl('https://api.telegram.org'),
    answers: z
      .object({
        mode: oneOf(['off', 'poll', 'webhook']),
        secret_token: credential().refine((secret) => /^[\w-]{0,256}$/.test(secret), {
          error: 'must be at most 256 letters, digits, _ or -',
        }),
      })
      .prefault({})
      .transform(camelKeys),
  })
  .transform(({ other_channel_ids: others, ...raw }) => ({ ...camelKeys(raw), others }))

/** Numbers, and the user names of public channels. */
const CHAT_ID = /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/

export type MsgappOptions = z.output<typeof options>

/** Telegram Bot API, `sendMessage` and `editMessageText`, with HTML text. */
export const msgapp: ChannelKind<MsgappOptions> = {
  name: 'msgapp',
  options,
  threads: true,
  edits: true,
  answersMode: ({ answers }) => answers.mode,
  person: personId(/^\d{1,20}$/, 'the number of a user, such as 123456789'),
  targets: (known) => chatTargets(known, CHAT_ID),
  text: { escaping: 'html', limit: { max: 4_096, unit: 'visible' } },
  defaults: { concurrency: 4, rate: { perSecond: 0.33, burst: 5 } },
}
