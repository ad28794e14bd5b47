import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { errorText } from '../../text/error-text.ts'
import { readSource } from './load.ts'
import type { ChannelTemplate, TemplateSource } from './template.ts'

interface TemplateWatchHooks {
  /**
   * Called when a template or one of its shared files has a new text, after earlier calls for it have ended. Takes it
   * into use, or rejects when it does not parse.
   */
  onChange(template: ChannelTemplate): Promise<void>
  /** Called once when a file is missing or was rejected. The template in use stays. */
  onError(message: string): void
}

export type TemplateWatch = ReturnType<typeof watchTemplates>

/** A file counts as completely written when two reads, this time apart, return the same. */
const REREAD_MS = 50
/** Interval of polling: some file systems report no changes, and a directory may be replaced. */
const POLL_MS = 5_000

/** Watches the files of templates until it is closed. Does not keep the process running. */
export function watchTemplates(templates: readonly ChannelTemplate[], hooks: TemplateWatchHooks) {
  const reported = new Set<string>()
  const onError = (message: string) => {
    // An error in a shared file concerns every template that uses it; report it once.
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
    // Polls every file: `some` would stop at the first that changes.
    if (files.filter((file) => file.poll() === 'moving').length > 0) pollSoon()
  }
  const directories = new Set(templates.map(({ source }) => dirname(source.file)))
  const watchers = [...directories].flatMap((directory) => watchDirectory(directory, pollSoon, hooks))
  const timer = setInterval(poll, POLL_MS).unref()
  return {
    close(): void {
      clearInterval(timer)
      clearTimeout(pending)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Watches a directory rather than files, because editors and deployments replace files and links. */
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

/** Result of reading the files of a template. */
type TemplateRead =
  | { readonly kind: 'source'; readonly source: TemplateSource }
  | { readonly kind: 'error'; readonly message: string }

/** A template in use, and the last content of its files. */
class WatchedTemplate {
  readonly #hooks: TemplateWatchHooks
  #template: ChannelTemplate
  #lastRead: TemplateRead
  /** The last read that was reported to the hooks. */
  #lastHandled: TemplateRead
  /** The change that is handled now. */
  #handling: Promise<void> = Promise.resolve()

  constructor(template: ChannelTemplate, hooks: TemplateWatchHooks) {
    this.#template = template
    this.#hooks = hooks
    this.#lastRead = { kind: 'source', source: template.source }
    this.#lastHandled = this.#lastRead
  }

  /**
   * Reads the files. Returns `moving` when they differ from the last read; reports them when they are the same twice.
   */
  poll(): 'moving' | 'still' {
    const found = this.#read()
    if (!isDeepStrictEqual(found, this.#lastRead)) {
      this.#lastRead = found
      return 'moving'
    }
    if (!isDeepStrictEqual(found, this.#lastHandled)) {
      this.#lastHandled = found
      this.#handling = this.#handling.then(() => this.#handle(found))
    }
    return 'still'
  }

  #read(): TemplateRead {
    const { file, shared = [] } = this.#template.source
    try {
      const source = readSource(file)
      // Without this check a missing shared file would go unnoticed until a message needs its definitions.
      const lost = shared.find((known) => !source.shared?.some((read) => read.file === known.file))
      return lost ? { kind: 'error', message: `${lost.file}: no such file` } : { kind: 'source', source }
    } catch (error) {
      return { kind: 'error', message: errorText(error) }
    }
  }

  async #handle(found: TemplateRead): Promise<void> {
    if (found.kind === 'error') {
      this.#hooks.onError(found.message)
      return
    }
    const changed = { ...this.#template, source: found.source }
    try {
      await this.#hooks.onChange(changed)
      this.#template = changed
    } catch (error) {
      this.#hooks.onError(errorText(error))
    }
  }
}
