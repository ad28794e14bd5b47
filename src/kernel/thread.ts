import { type MessagePort, parentPort } from 'node:worker_threads'
import { expose } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import type { Cell, CellStatus } from './cell.ts'
import { type PackedError, packError, registerErrorTransfer } from './error-transfer.ts'
import { EventLoopMonitor, type EventLoopReading } from './event-loop-monitor.ts'
import { Link, type LinkCounts, type OnLostTell } from './link.ts'
import { TurnScheduler } from './turn-scheduler.ts'

/** First message to a new worker. It answers with one `BootReport`; all further calls go through `control`. */
export interface StartMessage {
  readonly kind: 'start'
  readonly thread: string
  /** Boot settings, as plain data. */
  readonly boot: unknown
  readonly control: MessagePort
}

export type BootReport =
  | { readonly kind: 'ready' }
  /** Its actors could not be built; the thread is terminated. */
  | { readonly kind: 'failed'; readonly error: PackedError }

/** Calls that a thread answers, over Comlink. */
export interface ThreadControl {
  /** Gives the thread its end of a new channel to `peer`, which replaces an earlier one. */
  connect(peer: string, port: MessagePort): void
  ask(actor: string, query: unknown): Promise<unknown>
  status(): ThreadStatus
  /** Resolves when the actors have finished their work. The caller then terminates the worker. */
  stop(deadlineMs: number): Promise<void>
}

export interface ThreadStatus {
  readonly eventLoop: EventLoopReading
  readonly actors: readonly CellStatus[]
  readonly links: { readonly [peer: string]: Readonly<LinkCounts> }
}

export interface ThreadContext {
  readonly thread: string
  readonly boot: unknown
  readonly scheduler: TurnScheduler
  /** Returns the link to a peer: one object for all its incarnations. */
  link(peer: string): Link
}

/** The actors of a thread. */
export interface ThreadBody {
  readonly cells: readonly Pick<Cell<never>, 'status'>[]
  ask(actor: string, query: unknown): unknown
  stop(deadlineMs: number): Promise<void>
}

/** Makes the current worker a supervised thread. Call it once, at the top level of the worker's script. */
export function runThread(build: (context: ThreadContext) => ThreadBody | Promise<ThreadBody>): void {
  const parent = parentPort
  if (!parent) throw new Error('runThread is for worker threads')
  registerErrorTransfer()
  parent.once('message', (start: StartMessage) => void boot(start, build, (report) => parent.postMessage(report)))
}

async function boot(
  start: StartMessage,
  build: (context: ThreadContext) => ThreadBody | Promise<ThreadBody>,
  report: (report: BootReport) => void,
): Promise<void> {
  const scheduler = new TurnScheduler()
  const links = new Map<string, Link>()
  const link = (peer: string) => {
    const known = links.get(peer) ?? new Link(peer, scheduler, lostTell(peer))
    links.set(peer, known)
    return known
  }
  try {
    const body = await build({ thread: start.thread, boot: start.boot, scheduler, link })
    expose(control(body, links, link), nodeEndpoint(start.control))
    start.control.start()
    report({ kind: 'ready' })
  } catch (error) {
    report({ kind: 'failed', error: packError(error) })
  }
}

/**
 * Throws for a message that found no slot: both threads disagree about their edges, and a restart is better than losing
 * messages. Warns about a message that cannot be posted: a restart would meet the same message again.
 */
const lostTell =
  (peer: string): OnLostTell =>
  (to, error) => {
    if (error === undefined) throw new Error(`a message from ${peer} for ${to} found no slot`)
    process.emitWarning(`a message to ${to} on ${peer} could not be sent: ${packError(error).message}`)
  }

function control(body: ThreadBody, links: ReadonlyMap<string, Link>, link: (peer: string) => Link): ThreadControl {
  const eventLoop = new EventLoopMonitor()
  return {
    connect: (peer, port) => link(peer).attach(port),
    ask: async (actor, query) => body.ask(actor, query),
    stop: (deadlineMs) => body.stop(deadlineMs),
    status: () => ({
      eventLoop: eventLoop.read(),
      actors: body.cells.map((cell) => cell.status()),
      links: Object.fromEntries(Array.from(links, ([peer, { counts }]) => [peer, { ...counts }])),
    }),
  }
}
