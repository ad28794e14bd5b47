import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { checked, readTemplate } from './library.ts'
import type { ChannelTemplate } from './pool.ts'

export interface WatchHooks {
  /** The file of a template holds another text, and that one parses. */
  onChange(template: ChannelTemplate): void
  /** A file is gone or does not parse; the template that was in use stays. Said once for each state of the file. */
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
  const files = templates.map((template) => new WatchedFile(template, hooks))
  let soon: NodeJS.Timeout | undefined
  const hasten = () => {
    soon ??= setTimeout(look, SETTLE_MS).unref()
  }
  const look = () => {
    clearTimeout(soon)
    soon = undefined
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

/** What a look at a file found: its text, or why it has none. */
interface Reading {
  readonly kind: 'text' | 'fault'
  readonly says: string
}

class WatchedFile {
  readonly #hooks: WatchHooks
  readonly #template: ChannelTemplate
  #seen: Reading
  /** The last reading that was acted upon. */
  #judged: Reading

  constructor(template: ChannelTemplate, hooks: WatchHooks) {
    this.#template = template
    this.#hooks = hooks
    this.#seen = { kind: 'text', says: template.source.text }
    this.#judged = this.#seen
  }

  look(): 'moving' | 'still' {
    const reading = this.#read()
    if (!same(reading, this.#seen)) {
      this.#seen = reading
      return 'moving'
    }
    if (!same(reading, this.#judged)) {
      this.#judged = reading
      this.#judge(reading)
    }
    return 'still'
  }

  #read(): Reading {
    try {
      return { kind: 'text', says: readTemplate(this.#template.source.file) }
    } catch (error) {
      return { kind: 'fault', says: says(error) }
    }
  }

  #judge(reading: Reading): void {
    if (reading.kind === 'fault') {
      this.#hooks.onFault(reading.says)
      return
    }
    const { channel, source, rules } = this.#template
    let template: ChannelTemplate
    try {
      template = checked({ channel, path: source.file, rules }, reading.says)
    } catch (error) {
      this.#hooks.onFault(says(error))
      return
    }
    this.#hooks.onChange(template)
  }
}

function same(one: Reading, other: Reading): boolean {
  return one.kind === other.kind && one.says === other.says
}

function says(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
