import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CodedError } from '../domain/errors.ts'
import { errorText } from '../text/error-text.ts'
import type { AnalysisBackend } from './contract.ts'
import { modelBackend } from './model-backend.ts'
import type { BackendOptions } from './options.ts'

/** Loads the configured backend. Rejects with config_invalid when the module cannot be loaded or exports no backend. */
export async function loadBackend({ backend, ...options }: BackendOptions): Promise<AnalysisBackend> {
  if (backend === 'openai') return modelBackend(options)
  try {
    const module: { readonly backend?: unknown; readonly createBackend?: unknown } = await import(
      pathToFileURL(resolve(backend)).href
    )
    const made: unknown =
      typeof module.createBackend === 'function' ? await module.createBackend(options) : module.backend
    if (isBackend(made)) return made
  } catch (error) {
    throw new CodedError('config_invalid', `agent.ai.backend: ${backend} cannot be loaded: ${errorText(error)}`, {
      cause: error,
    })
  }
  throw new CodedError('config_invalid', `agent.ai.backend: ${backend} exports neither backend nor createBackend`)
}

function isBackend(value: unknown): value is AnalysisBackend {
  return typeof value === 'object' && value !== null && 'analyze' in value && typeof value.analyze === 'function'
}
