import type { Model } from './model.ts'
import type { AskOptions } from './options.ts'

/** Returns the model; the first request loads the program of its provider. */
export function openModel(options: AskOptions): Model {
  let opened: Promise<Model> | undefined
  return {
    async ask(request, signal) {
      opened ??= load(options)
      return (await opened).ask(request, signal)
    },
  }
}

async function load(options: AskOptions): Promise<Model> {
  if (options.provider === 'ollama') return (await import('./ollama.ts')).ollama(options)
  if (options.provider === 'anthropic') return (await import('./anthropic.ts')).anthropic(options)
  return (await import('./completions.ts')).completions(options)
}
