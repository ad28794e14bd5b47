import { z } from 'zod'
import { camelKeys, oneOf, whole } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, chatKeys, chatTargets, credential, personId } from '../options.ts'

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
    answers: z
      .object({
        mode: oneOf(['off', 'socket', 'http']),
        app_token: credential(),
        signing_secret: credential(),
        connections: whole(2, [1, 5]),
      })
      .prefault({})
      .transform(camelKeys),
  })
  .transform(({ other_channel_ids: others, ...raw }) => ({ ...camelKeys(raw), others }))

/** Channels, direct messages, groups, and people. */
const CHAT_ID = /^[CDGUW][A-Z0-9]{5,24}$/

export type ChatwsOptions = z.output<typeof options>

/** The provider's 13,200, less room for the buttons and for code fences that are opened again. */
const TEXT_MAX = 12_000

/** Slack Web API, `chat.postMessage` and `chat.update`. It answers HTTP 200 to nearly everything: `ok` in the body counts. */
export const chatws: ChannelKind<ChatwsOptions> = {
  name: 'chatws',
  options,
  threads: true,
  edits: true,
  answersMode: ({ answers }) => answers.mode,
  advice: ({ answers: { mode, appToken } }) =>
    mode !== 'socket' || appToken === '' || appToken.startsWith('xapp-')
      ? []
      : ['alert.chatws.answers.app_token: a token of an app begins with xapp-; that of a bot opens no connection'],
  person: personId(/^[DUW][A-Z0-9]{5,24}$/, 'the id of a user, such as U0123ABCD'),
  targets: (known) => chatTargets(known, CHAT_ID),
  text: { escaping: 'chat', limit: { max: TEXT_MAX, unit: 'utf16' } },
  defaults: { concurrency: 4, rate: { perSecond: 1, burst: 4 } },
}
