import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { errorText } from '../../text/error-text.ts'
import { checkedTemplate, readSource } from './load.ts'
import type { ChannelTemplate, TemplateSource } from './template.ts'

interface TemplateWatchHooks {
  /** The file of a template, or one that it shares, holds another text, and the template parses. */
  onChange(template: ChannelTemplate): void
  /** A file is gone or does not parse; the template that was in use stays. Said once for each state of the files. */
  onError(message: string): void
}

export interface TemplateWatch {
  close(): void
}

/** A file counts as written when it reads the same twice, this far apart. */
const REREAD_MS = 50
/** Looks without being told: some file systems tell nothing, and a directory may be replaced as a whole. */
const POLL_MS = 5_000

/** Follows the files of templates in use until it is closed; it does not keep the process up. */
export function watchTemplates(templates: readonly ChannelTemplate[], hooks: TemplateWatchHooks): TemplateWatch {
  const reported = new Set<string>()
  const onError = (message: string) => {
    // An error in a shared file is one of every template beside it.
    if (!reported.has(message)) hooks.onError(message)
    reported.add(message)
  }
  const files = templates.map((template) => new WatchedTemplate(template, { ...hooks, onError }))
  let pending: NodeJS.Timeout | undefined
  const pollSoon = () => {
    pending ??= setTimeout(poll, REREAD_MS).unref()
  }
  const poll = () => {
    clearTimeout(pending)
    pending = undefined
    reported.clear()
    // Every file has its look: no short circuit.
    if (files.filter((file) => file.poll() === 'moving').length > 0) pollSoon()
  }
  const directories = new Set(templates.map(({ source }) => dirname(source.file)))
  const watchers = [...directories].flatMap((directory) => watchDirectory(directory, pollSoon, hooks))
  const timer = setInterval(poll, POLL_MS).unref()
  return {
    close() {
      clearInterval(timer)
      clearTimeout(pending)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Directories and not files: editors and deployments put another file, or a link, in the place of the old one. */
function watchDirectory(directory: string, onEvent: () => void, { onError }: TemplateWatchHooks): FSWatcher[] {
  const failed = (error: unknown) =>
    onError(`${directory}: changes are seen within ${POLL_MS / 1_000} s only: ${error}`)
  try {
    return [watch(directory, { persistent: false }, onEvent).on('error', failed)]
  } catch (error) {
    failed(error)
    return []
  }
}

/** What a look at the files of a template found: their texts, or why they have none. */
type TemplateRead =
  | { readonly kind: 'source'; readonly source: TemplateSource }
  | { readonly kind: 'error'; readonly message: string }

/** A template in use and the files it is made of. */
class WatchedTemplate {
  readonly #hooks: TemplateWatchHooks
  #template: ChannelTemplate
  #lastRead: TemplateRead
  /** The last reading that was acted upon. */
  #lastHandled: TemplateRead

  constructor(template: ChannelTemplate, hooks: TemplateWatchHooks) {
    this.#template = template
    this.#hooks = hooks
    this.#lastRead = { kind: 'source', source: template.source }
    this.#lastHandled = this.#lastRead
  }

  poll(): 'moving' | 'still' {
    const found = this.#read()
    if (!isDeepStrictEqual(found, this.#lastRead)) {
      this.#lastRead = found
      return 'moving'
    }
    if (!isDeepStrictEqual(found, this.#lastHandled)) {
      this.#lastHandled = found
      this.#handle(found)
    }
    return 'still'
  }

  #read(): TemplateRead {
    const { file, shared = [] } = this.#template.source
    try {
      const source = readSource(file)
      // Nothing would tell of a lost definition before the next message needs it.
      const lost = shared.find((known) => !source.shared?.some((read) => read.file === known.file))
      return lost ? { kind: 'error', message: `${lost.file}: no such file` } : { kind: 'source', source }
    } catch (error) {
      return { kind: 'error', message: errorText(error) }
    }
  }

  #handle(found: TemplateRead): void {
    if (found.kind === 'error') {
      this.#hooks.onError(found.message)
      return
    }
    try {
      this.#template = checkedTemplate(this.#template, found.source)
    } catch (error) {
      this.#hooks.onError(errorText(error))
      return
    }
    this.#hooks.onChange(this.#template)
  }
}
