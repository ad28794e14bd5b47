import { z } from 'zod'
import { camelKeys, named, oneOf } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, credential, namedTargets } from '../options.ts'

/** A topic is a secret: a person who knows it reads what is sent there. */
const topic = () =>
  z
    .string({ error: 'must be text' })
    .trim()
    .regex(/^[\w-]{0,64}$/, { error: 'must be 1 to 64 letters, digits, "_" or "-"' })
    .meta({ secret: true })

const options = z
  .object({
    server_url: apiUrl('https://ntfy.sh'),
    topic: topic().default(''),
    other_topics: named(topic().min(1, { error: 'must not be empty' })),
    token: credential(),
    /** `http`: the phone posts what is pressed to the address of the service. */
    answers: z.object({ mode: oneOf(['off', 'http']) }).prefault({}),
  })
  .transform(({ other_topics: others, ...raw }) => ({ ...camelKeys(raw), others }))

export type NtfyOptions = z.output<typeof options>

/** ntfy: pushes to the phones that follow a topic. */
export const ntfy: ChannelKind<NtfyOptions> = {
  name: 'ntfy',
  options,
  answersMode: ({ answers }) => answers.mode,
  person: topic().min(1, { error: 'must not be empty' }),
  targets: (known) => namedTargets(known.others),
  /** The server takes 4,096 bytes, and the push services as much for everything: title and buttons need the rest. */
  text: { escaping: 'none', limit: { max: 2_800, unit: 'json-bytes' }, subject: true },
  defaults: { concurrency: 4, rate: { perSecond: 0.2, burst: 20 } },
}
