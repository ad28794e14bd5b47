import type { LogSourceStatus } from '../../api/agent.ts'
import type { Cursors } from '../patterns/catalog-file.ts'
import { type NamedSource, type SourcePollerDeps, SourceReader } from './source-reader.ts'

/** Reads all sources concurrently. A slow or failing source delays no other. */
export class SourcePoller {
  readonly #readers: readonly SourceReader[]
  readonly #deps: SourcePollerDeps
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor(sources: readonly NamedSource[], deps: SourcePollerDeps) {
    this.#deps = deps
    this.#readers = sources.map((source) => new SourceReader(source, deps, this.#closing.signal))
  }

  /**
   * Reads all sources to their ends. Resolves when all have finished or failed, or after `waitMs`; slower reads
   * continue.
   */
  async pollAll(waitMs: number): Promise<void> {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, waitMs)
    await Promise.race([Promise.all(this.#readers.map((reader) => reader.read())), timeout.promise])
    clearTimeout(timer)
  }

  /** Starts a read of one source. */
  poll(name: string): void {
    void this.#readers.find((reader) => reader.name === name)?.read()
  }

  /**
   * Returns the sources that were not read during the whole tick since the last call, or delivered a backlog. Call once
   * per tick.
   */
  incompleteTick(tickMs: number): Set<string> {
    return new Set(this.#readers.flatMap((reader) => (reader.isTickComplete(tickMs) ? [] : [reader.name])))
  }

  cursors(): Cursors {
    return Object.fromEntries(this.#readers.flatMap(({ name, cursor }) => (cursor ? [[name, cursor]] : [])))
  }

  status(): LogSourceStatus[] {
    return this.#readers.map((reader) => reader.status())
  }

  /** Aborts all reads and closes the sources. Safe to call twice. */
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
