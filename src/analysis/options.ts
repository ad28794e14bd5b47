import { z } from 'zod'
import { type AskOptions, PROVIDERS } from '../models/options.ts'
import { camelKeys, duration, flag, oneOf, secret, text, whole } from '../settings/fields.ts'

const MOST_CALLS = 1_000_000
const NOT_A_TEMPERATURE = 'must be a number from 0 to 2, or -1 for that of the model'

/** `agent.ai`: the model, and its limits. */
export const ai = z
  .object({
    enable: flag(false),
    /** Where the model of the backend `openai` runs. */
    provider: oneOf(PROVIDERS),
    /** `openai`, or the path of a module that exports `backend` or `createBackend(options)`. */
    backend: text('openai'),
    api_key: secret(),
    model: text('gpt-4o-mini'),
    max_calls_per_hour: whole(60, [0, MOST_CALLS]),
    cache_ttl: duration('1h', 0),
    /** Negative: that of the model. */
    temperature: z
      .number({ error: NOT_A_TEMPERATURE })
      .refine((value) => value === -1 || (value >= 0 && value <= 2), { error: NOT_A_TEMPERATURE })
      .default(0.2),
    max_tokens: whole(1_024, [16, 1_000_000]),
  })
  .transform(({ max_calls_per_hour, cache_ttl: cacheTtlMs, ...raw }) => ({
    ...camelKeys(raw),
    maxCallsPerHour: max_calls_per_hour || MOST_CALLS,
    cacheTtlMs,
  }))

export type BackendOptions = AskOptions & Pick<z.output<typeof ai>, 'backend'>
