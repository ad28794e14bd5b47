import { valueAt } from '../../config/config-error.ts'
import { place } from './tree.ts'
import type { Imported } from './written.ts'

/** Providers of Versus Incident, ours, and the address that theirs implies. */
const PROVIDERS = new Map<string, readonly [ours: string, url?: string]>([
  ['claude', ['anthropic']],
  ['ollama', ['ollama']],
  ['deepseek', ['openai_compatible', 'https://api.deepseek.com/v1']],
  ['gemini', ['openai_compatible', 'https://generativelanguage.googleapis.com/v1beta/openai']],
  ['qwen', ['openai_compatible', 'https://dashscope.aliyuncs.com/compatible-mode/v1']],
])

/** Returns whether the address of a provider of theirs is configured here. */
export const hasAddress = (name: string): boolean =>
  !['openai', 'anthropic'].includes(PROVIDERS.get(name)?.[0] ?? 'openai')

/** Moves key, model and address under the provider that is named. Returns false for a provider that is not known. */
export function takeModel({ tree, comments }: Imported, name: string, url: unknown): boolean {
  if (name === '' || name === 'openai') return true
  const [provider, implied] = PROVIDERS.get(name) ?? []
  if (provider === undefined) return false
  const ai = valueAt(tree, ['agent', 'ai']) as { [key: string]: unknown }
  for (const key of ['api_key', 'model']) {
    if (ai?.[key] === undefined || (key === 'api_key' && provider === 'ollama')) continue
    place(tree, ['models', provider, key], ai[key])
    delete ai[key]
  }
  const address = typeof url === 'string' && url !== '' ? url : implied
  if (address !== undefined && hasAddress(name)) place(tree, ['models', provider, 'url'], address)
  if (provider === 'openai_compatible') place(tree, ['models', provider, 'schema'], 'json_object')
  place(tree, ['agent', 'ai', 'provider'], provider)
  comments.set('agent.ai.provider', `was ${name}`)
  return true
}
