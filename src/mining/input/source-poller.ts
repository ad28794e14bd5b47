import type { LogSourceStatus } from '../../api/agent/agent.ts'
import { withDeadline } from '../../async/deadline.ts'
import { SingleFlight } from '../../async/single-flight.ts'
import { errorText } from '../../text/error-text.ts'
import { isoTimeOrNull } from '../../text/iso-time.ts'
import type { Cursors } from '../patterns/catalog-file.ts'
import type { Cursor, LogSource, RawEvent } from '../sources/contract.ts'

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

export interface NamedSource {
  readonly name: string
  readonly type: string
  readonly source: LogSource
}

interface SourcePollerDeps {
  readonly cursors: Cursors
  /** Takes the events of one pull. The reader's cursor moves past them when it returns. */
  process(source: string, events: readonly RawEvent[]): void
  /** Called when a source starts to fail, recovers, or returns a note. */
  report(source: string, what: 'failed' | 'recovered' | 'note', text: string): void
  /** Epoch milliseconds. */
  now(): number
  /** Called once, after the last source was closed. */
  closed(): Promise<void>
}

/**
 * - `ok`: the last read succeeded, or there was none yet; leaves to `reading` with the next read.
 * - `reading`: a read is running; leaves to `ok` or `failing`.
 * - `failing`: the last read failed; leaves to `ok` with a read that succeeds.
 */
type ReadState = 'ok' | 'reading' | 'failing'

const PULL_DEADLINE_MS = 30_000

/** Reads one log source from its cursor to its end, one read at a time. */
class SourceReader {
  readonly name: string
  cursor: Cursor | undefined
  readonly #source: NamedSource
  readonly #deps: SourcePollerDeps
  readonly #closing: AbortSignal
  readonly #since: number
  readonly #reading = new SingleFlight(() => this.#readToEnd())
  #state: ReadState = 'ok'
  #error = ''
  #events = 0
  /** Time of the last complete read. */
  #endAt: number | undefined
  /** Time of the last `isTickComplete`, if the source was up to date then. */
  #completeTickAt: number | undefined

  constructor(source: NamedSource, deps: SourcePollerDeps, closing: AbortSignal) {
    this.name = source.name
    this.cursor = deps.cursors[source.name]
    this.#source = source
    this.#deps = deps
    this.#closing = closing
    this.#since = deps.now()
  }

  /** Reads to the end of the source. Single flight: concurrent calls share one read. Never rejects. */
  read(): Promise<void> {
    return this.#reading.run()
  }

  async #readToEnd(): Promise<void> {
    const { source } = this.#source
    try {
      for (let more = true; more && !this.#closing.aborted; ) {
        const pulled = await withDeadline(PULL_DEADLINE_MS, this.#closing, (signal) => source.pull(this.cursor, signal))
        if (this.#closing.aborted) return
        this.#deps.process(this.name, pulled.events)
        this.cursor = pulled.cursor
        this.#events += pulled.events.length
        if (pulled.note !== undefined) this.#deps.report(this.name, 'note', pulled.note)
        more = pulled.more
        if (more) await yieldToEventLoop()
      }
      this.#ended()
    } catch (error) {
      if (!this.#closing.aborted) this.#failed(error)
    }
  }

  #ended(): void {
    this.#endAt = this.#deps.now()
    if (this.#state === 'failing') this.#deps.report(this.name, 'recovered', '')
    this.#state = 'ok'
    this.#error = ''
  }

  #failed(error: unknown): void {
    const message = errorText(error)
    if (this.#state !== 'failing' || this.#error !== message) this.#deps.report(this.name, 'failed', message)
    this.#state = 'failing'
    this.#error = message
  }

  /**
   * Returns whether the lines read since the previous call are those of one tick: the source was up to date then and is
   * now. To be called once per tick.
   */
  isTickComplete(tickMs: number): boolean {
    const before = this.#completeTickAt
    const now = this.#deps.now()
    const read = this.#state === 'ok' && this.#endAt !== undefined && now - this.#endAt < tickMs
    this.#completeTickAt = read ? now : undefined
    return read && before !== undefined && now - before < 2 * tickMs
  }

  status(): LogSourceStatus {
    const { name, type } = this.#source
    const reading = this.#reading.running !== undefined
    const lag = reading || this.#state === 'failing' ? this.#deps.now() - (this.#endAt ?? this.#since) : 0
    return {
      name,
      type,
      error: this.#error,
      events: this.#events,
      state: this.#state === 'ok' && reading ? 'reading' : this.#state,
      read_to_end_at: isoTimeOrNull(this.#endAt),
      lag_ms: Math.max(0, lag),
    }
  }

  async close(): Promise<void> {
    await this.#reading.running
    await this.#source.source.close?.()
  }
}

/** Lets other work of the thread run between two pulls. */
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))
