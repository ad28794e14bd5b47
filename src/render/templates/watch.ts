import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ChannelTemplate } from '../pool/pool.ts'
import { checked, readSource } from './library.ts'
import type { TemplateSource } from './template.ts'

export interface WatchHooks {
  /** The file of a template, or one that it shares, holds another text, and the template parses. */
  onChange(template: ChannelTemplate): void
  /** A file is gone or does not parse; the template that was in use stays. Said once for each state of the files. */
  onFault(message: string): void
}

export interface TemplateWatch {
  close(): void
}

/** A file counts as written when it reads the same twice, this far apart. */
const SETTLE_MS = 50
/** Looks without being told: some file systems tell nothing, and a directory may be replaced as a whole. */
const LOOK_MS = 5_000

/** Follows the files of templates in use until it is closed; it does not keep the process up. */
export function watchTemplates(templates: readonly ChannelTemplate[], hooks: WatchHooks): TemplateWatch {
  const said = new Set<string>()
  const onFault = (message: string) => {
    // A fault in a shared file is one of every template beside it.
    if (!said.has(message)) hooks.onFault(message)
    said.add(message)
  }
  const files = templates.map((template) => new WatchedTemplate(template, { ...hooks, onFault }))
  let soon: NodeJS.Timeout | undefined
  const hasten = () => {
    soon ??= setTimeout(look, SETTLE_MS).unref()
  }
  const look = () => {
    clearTimeout(soon)
    soon = undefined
    said.clear()
    // Every file has its look: no short circuit.
    if (files.filter((file) => file.look() === 'moving').length > 0) hasten()
  }
  const directories = new Set(templates.map(({ source }) => dirname(source.file)))
  const watchers = [...directories].flatMap((directory) => watchDirectory(directory, hasten, hooks))
  const looks = setInterval(look, LOOK_MS).unref()
  return {
    close() {
      clearInterval(looks)
      clearTimeout(soon)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Directories and not files: editors and deployments put another file, or a link, in the place of the old one. */
function watchDirectory(directory: string, onEvent: () => void, { onFault }: WatchHooks): FSWatcher[] {
  const failed = (error: unknown) =>
    onFault(`${directory}: changes are seen within ${LOOK_MS / 1_000} s only: ${error}`)
  try {
    return [watch(directory, { persistent: false }, onEvent).on('error', failed)]
  } catch (error) {
    failed(error)
    return []
  }
}

/** What a look at the files of a template found: their texts, or why they have none. */
type Reading =
  | { readonly kind: 'source'; readonly source: TemplateSource }
  | { readonly kind: 'fault'; readonly says: string }

/** A template in use and the files it is made of. */
class WatchedTemplate {
  readonly #hooks: WatchHooks
  #template: ChannelTemplate
  #seen: Reading
  /** The last reading that was acted upon. */
  #judged: Reading

  constructor(template: ChannelTemplate, hooks: WatchHooks) {
    this.#template = template
    this.#hooks = hooks
    this.#seen = { kind: 'source', source: template.source }
    this.#judged = this.#seen
  }

  look(): 'moving' | 'still' {
    const reading = this.#read()
    if (!isDeepStrictEqual(reading, this.#seen)) {
      this.#seen = reading
      return 'moving'
    }
    if (!isDeepStrictEqual(reading, this.#judged)) {
      this.#judged = reading
      this.#judge(reading)
    }
    return 'still'
  }

  #read(): Reading {
    const { file, shared = [] } = this.#template.source
    try {
      const source = readSource(file)
      // Nothing would tell of a lost definition before the next message needs it.
      const lost = shared.find((known) => !source.shared?.some((read) => read.file === known.file))
      return lost ? { kind: 'fault', says: `${lost.file}: no such file` } : { kind: 'source', source }
    } catch (error) {
      return { kind: 'fault', says: says(error) }
    }
  }

  #judge(reading: Reading): void {
    if (reading.kind === 'fault') {
      this.#hooks.onFault(reading.says)
      return
    }
    try {
      this.#template = checked(this.#template, reading.source)
    } catch (error) {
      this.#hooks.onFault(says(error))
      return
    }
    this.#hooks.onChange(this.#template)
  }
}

function says(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
