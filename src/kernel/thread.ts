import { type MessagePort, parentPort } from 'node:worker_threads'
import { expose } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import type { Cell, CellStatus } from './cell.ts'
import { type PackedError, packError, registerErrorTransfer } from './error-transfer.ts'
import { EventLoopMonitor, type EventLoopReading } from './event-loop-monitor.ts'
import { Link, type LinkCounts, type OnLostTell } from './link.ts'
import { TurnScheduler } from './turn-scheduler.ts'

/** First message to a new worker; it answers once with a `BootReport`, and is then spoken to through `control` only. */
export interface StartMessage {
  readonly kind: 'start'
  readonly thread: string
  /** What the thread is to run, as plain data. */
  readonly boot: unknown
  readonly control: MessagePort
}

export type BootReport =
  | { readonly kind: 'ready' }
  /** The thread will exit: its actors could not be built. */
  | { readonly kind: 'failed'; readonly error: PackedError }

/** What a thread answers through Comlink. */
export interface ThreadControl {
  /** The thread's end of a new channel to `peer`; replaces an earlier one. */
  connect(peer: string, port: MessagePort): void
  ask(actor: string, query: unknown): Promise<unknown>
  status(): ThreadStatus
  /** Ends the actors' work in good order; the worker is terminated afterwards. */
  stop(deadlineMs: number): Promise<void>
}

export interface ThreadStatus {
  readonly eventLoop: EventLoopReading
  readonly actors: readonly CellStatus[]
  readonly links: { readonly [peer: string]: Readonly<LinkCounts> }
}

/** What the thread's actors are built from. */
export interface ThreadContext {
  readonly thread: string
  readonly boot: unknown
  readonly scheduler: TurnScheduler
  /** The link to a peer; the same object through all of the peer's lives. */
  link(peer: string): Link
}

/** What runs on a thread once it is built. */
export interface ThreadBody {
  readonly cells: readonly Pick<Cell<never>, 'status'>[]
  ask(actor: string, query: unknown): unknown
  stop(deadlineMs: number): Promise<void>
}

/** Makes the current worker a supervised thread; to be called once, at the top of the worker's script. */
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
 * A tell that found no place: the two sides disagree about who lives here, and a restart is better than a message that silently goes nowhere.
 * One that cannot be posted is the fault of one message, which a restart would bring up again: it costs a warning.
 */
const lostTell =
  (peer: string): OnLostTell =>
  (to, error) => {
    if (error === undefined) throw new Error(`a message from ${peer} for ${to} found no place`)
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
