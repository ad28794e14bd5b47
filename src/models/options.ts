import { z } from 'zod'
import { camelKeys, flag, httpUrl, oneOf, secret, text, whole } from '../settings/fields.ts'

/** The first is the default. */
export const PROVIDERS = ['openai', 'azure_openai', 'openai_compatible', 'ollama', 'anthropic'] as const
export type Provider = (typeof PROVIDERS)[number]

/** Addresses that neither the configuration nor the environment can change. */
export const FIXED = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' } as const

const CONTEXT: readonly [min: number, max: number] = [1_024, 10_000_000]

/** `models`: providers of models. One is read only where it is named. */
export const models = z.object({
  /** Empty: those of `agent.ai`. Its address is fixed. */
  openai: z.object({ api_key: secret(), model: text() }),
  azure_openai: z.object({ url: httpUrl(), api_key: secret(), model: text(), allow_private: flag(false) }),
  openai_compatible: z.object({
    url: httpUrl(),
    api_key: secret(),
    model: text(),
    schema: oneOf(['json_schema', 'json_object', 'none']),
    /** Tokens of prompt and answer together. */
    context: whole(16_384, CONTEXT),
    allow_private: flag(false),
  }),
  ollama: z.object({
    url: httpUrl('http://127.0.0.1:11434'),
    model: text(),
    context: whole(8_192, CONTEXT),
    allow_private: flag(true),
  }),
  anthropic: z.object({ api_key: secret(), model: text() }),
})

/** One provider with all that a request needs. */
interface ModelOptions {
  readonly provider: Provider
  /** Without a meaning where the address is fixed. */
  readonly url: string
  readonly apiKey: string
  readonly model: string
  /** How the answer's form is asked for. */
  readonly schema: 'json_schema' | 'json_object' | 'none'
  /** Tokens of prompt and answer together; 0: as many as the provider takes. */
  readonly context: number
  /** Private and loopback addresses are allowed. */
  readonly allowPrivate: boolean
}

export interface AskOptions extends ModelOptions {
  /** Negative: that of the model. */
  readonly temperature: number
  /** Largest answer, in tokens. */
  readonly maxTokens: number
}

/** Returns the options of a provider; key and model of OpenAI may be given elsewhere. */
export function modelOptions(
  provider: Provider,
  sections: z.output<typeof models>,
  openai: { readonly apiKey: string; readonly model: string },
): ModelOptions {
  const { apiKey, model, ...own } = { apiKey: '', ...camelKeys(sections[provider]) }
  const given = provider === 'openai' ? openai : { apiKey: '', model: '' }
  return {
    provider,
    url: provider === 'openai' || provider === 'anthropic' ? FIXED[provider] : '',
    schema: 'json_schema',
    context: 0,
    // Where the address is fixed, a network of the operator's own may answer it.
    allowPrivate: true,
    ...own,
    apiKey: apiKey || given.apiKey,
    model: model || given.model,
  }
}
