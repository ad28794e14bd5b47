import type { Cursors } from '../patterns/catalog-file.ts'
import { type NamedSource, type SourcePollerDeps, SourceReader, type SourceStatus } from './source-reader.ts'

/** Reads every source in its own time: what one of them lacks, the others do not wait for. */
export class SourcePoller {
  readonly #readers: readonly SourceReader[]
  readonly #deps: SourcePollerDeps
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor(sources: readonly NamedSource[], deps: SourcePollerDeps) {
    this.#deps = deps
    this.#readers = sources.map((source) => new SourceReader(source, deps, this.#closing.signal))
  }

  /** Reads what there is. Resolves when all is read or cannot be, or after `waitMs`: whoever needs longer goes on. */
  async pollAll(waitMs: number): Promise<void> {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, waitMs)
    await Promise.race([Promise.all(this.#readers.map((reader) => reader.read())), timeout.promise])
    clearTimeout(timer)
  }

  /** Reads one source now. */
  poll(name: string): void {
    void this.#readers.find((reader) => reader.name === name)?.read()
  }

  /** Sources whose lines since the last call are not those of one tick: they were not read, or more than a tick was caught up with. */
  incompleteTick(tickMs: number): Set<string> {
    return new Set(this.#readers.flatMap((reader) => (reader.isTickComplete(tickMs) ? [] : [reader.name])))
  }

  cursors(): Cursors {
    return Object.fromEntries(this.#readers.flatMap(({ name, cursor }) => (cursor ? [[name, cursor]] : [])))
  }

  status(): SourceStatus[] {
    return this.#readers.map((reader) => reader.status())
  }

  /** Resolves when nothing reads any more. Safe to call twice. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#readers.map((reader) => reader.close()))
    await this.#deps.closed()
  }
}
