import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads'
import { type Remote, transfer, wrap } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import { type Restarts, restartDelayMs } from './actor.ts'
import { AskError, Asks } from './ask.ts'
import type { Clock } from './clock.ts'
import type { Link } from './link.ts'
import type { BootReport, StartMessage, ThreadControl, ThreadStatus } from './thread.ts'
import { carryErrors, RemoteError } from './wire.ts'

/** One worker thread as the architecture draws it. */
export interface ThreadPlan {
  readonly name: string
  readonly script: URL
  /** What to run; asked for again at every start, so that a restarted thread gets what is current. */
  boot(): unknown
  /** Names of the worker threads it has edges with. */
  readonly peers: readonly string[]
  /** This thread's link to it. */
  readonly link: Link
  readonly options?: WorkerOptions
}

export interface SupervisorReport {
  threadDown(thread: string, error: Error | undefined, restartInMs: number): void
  threadUp(thread: string, restarts: number): void
}

export type ThreadState = 'starting' | 'up' | 'down' | 'stopping' | 'stopped'

interface Supervised {
  readonly plan: ThreadPlan
  readonly asks: Asks
  state: ThreadState
  worker: Worker | undefined
  remote: Remote<ThreadControl> | undefined
  restarts: number
  failuresInARow: number
  upSince: number
}

const RESTARTS: Restarts = { initialMs: 100, maxMs: 10_000 }
/** A thread that was up this long starts counting its failures anew. */
const HEALTHY_MS = 30_000
const HAND_OVER_MS = 10_000

/**
 * Starts the threads, wires them to one another, and starts again what dies: a worker that exits is replaced after a backoff that never
 * gives up, its peers are given new channels, and what was asked of it is rejected.
 */
export class Supervisor {
  readonly #threads = new Map<string, Supervised>()
  readonly #clock: Clock
  readonly #report: SupervisorReport
  /** One at a time: two threads that come up together must not each keep the end of a channel the other has replaced. */
  #connecting: Promise<void> = Promise.resolve()

  constructor(plans: readonly ThreadPlan[], clock: Clock, report: SupervisorReport) {
    carryErrors()
    this.#clock = clock
    this.#report = report
    for (const plan of plans) {
      this.#threads.set(plan.name, {
        plan,
        asks: new Asks(plan.name, clock),
        state: 'stopped',
        worker: undefined,
        remote: undefined,
        restarts: 0,
        failuresInARow: 0,
        upSince: 0,
      })
    }
  }

  /** In the order of the plans. Rejects with the first thread's own error when it cannot start: nothing is retried then. */
  async start(): Promise<void> {
    for (const thread of this.#threads.values()) await this.#spawn(thread)
  }

  /** Rejects with `ask_timeout`, `peer_down`, or what the actor threw (a `RemoteError` with its code). */
  ask(thread: string, actor: string, query: { readonly kind: string }, deadlineMs: number): Promise<unknown> {
    return this.#call(thread, `${actor} ${query.kind}`, deadlineMs, (remote) => remote.ask(actor, query))
  }

  status(thread: string, deadlineMs: number): Promise<ThreadStatus> {
    return this.#call(thread, 'status', deadlineMs, (remote) => remote.status())
  }

  states(): { readonly name: string; readonly state: ThreadState; readonly restarts: number }[] {
    return Array.from(this.#threads.values(), ({ plan, state, restarts }) => ({ name: plan.name, state, restarts }))
  }

  /** Lets the thread finish its work within the deadline, then ends it. */
  async stop(name: string, deadlineMs: number): Promise<void> {
    const thread = this.#thread(name)
    if (thread.state === 'stopped' || thread.state === 'stopping') return
    const { worker, remote, state } = thread
    thread.state = 'stopping'
    try {
      if (state === 'up' && remote) await thread.asks.ask('stop', deadlineMs, () => remote.stop(deadlineMs))
    } finally {
      await worker?.terminate()
      thread.state = 'stopped'
    }
  }

  /** Stops the thread in good order and starts it with what its plan says now; what it is to be told meanwhile waits with its peers. */
  async replace(name: string, deadlineMs: number): Promise<void> {
    await this.stop(name, deadlineMs)
    await this.#spawn(this.#thread(name))
  }

  #call<T>(
    name: string,
    what: string,
    deadlineMs: number,
    call: (remote: Remote<ThreadControl>) => Promise<T>,
  ): Promise<T> {
    const thread = this.#thread(name)
    const { remote } = thread
    if (!remote || thread.state !== 'up') return Promise.reject(new AskError('peer_down', `${name} is down`))
    return thread.asks.ask(what, deadlineMs, () => call(remote))
  }

  #thread(name: string): Supervised {
    const thread = this.#threads.get(name)
    if (!thread) throw new Error(`no thread is called ${name}`)
    return thread
  }

  async #spawn(thread: Supervised): Promise<void> {
    thread.state = 'starting'
    const { plan } = thread
    const worker = new Worker(plan.script, { ...plan.options, name: plan.name })
    const { port1: control, port2: far } = new MessageChannel()
    thread.worker = worker
    let died: Error | undefined
    worker.on('error', (error) => {
      died = error
    })
    worker.once('exit', () => this.#exited(thread, worker, died))
    const start: StartMessage = { kind: 'start', thread: plan.name, boot: plan.boot(), control: far }
    worker.postMessage(start, [far])
    try {
      await booted(worker, () => died)
    } catch (error) {
      await worker.terminate()
      throw error
    }
    thread.remote = wrap<ThreadControl>(nodeEndpoint(control))
    control.start()
    thread.state = 'up'
    thread.upSince = this.#clock.elapsed()
    const connected = this.#connecting.then(() => this.#connect(thread))
    this.#connecting = connected.catch(() => {})
    await connected
    this.#report.threadUp(plan.name, thread.restarts)
  }

  /** Whoever is down at that moment gets its channels when it is back. */
  async #connect(thread: Supervised): Promise<void> {
    const { plan } = thread
    const here = new MessageChannel()
    if (await handOver(thread, 'main', here.port1)) plan.link.attach(here.port2)
    for (const name of plan.peers) {
      const peer = this.#thread(name)
      if (peer.state !== 'up') continue
      const between = new MessageChannel()
      if (await handOver(peer, plan.name, between.port1)) await handOver(thread, name, between.port2)
    }
  }

  #exited(thread: Supervised, worker: Worker, error: Error | undefined): void {
    if (thread.worker !== worker) return
    const wasUp = thread.state === 'up'
    thread.worker = undefined
    thread.remote = undefined
    thread.asks.peerGone()
    thread.plan.link.detach()
    if (wasUp) this.#restartLater(thread, error)
  }

  #restartLater(thread: Supervised, error: Error | undefined): void {
    if (this.#clock.elapsed() - thread.upSince > HEALTHY_MS) thread.failuresInARow = 0
    thread.state = 'down'
    thread.failuresInARow++
    const delayMs = restartDelayMs(thread.failuresInARow, RESTARTS)
    this.#report.threadDown(thread.plan.name, error, delayMs)
    this.#clock.setTimer(delayMs, () => void this.#restart(thread))
  }

  async #restart(thread: Supervised): Promise<void> {
    if (thread.state !== 'down') return
    thread.restarts++
    try {
      await this.#spawn(thread)
    } catch (error) {
      if (this.#threads.get(thread.plan.name)?.state === 'starting') this.#restartLater(thread, asError(error))
    }
  }
}

const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** Waits for the worker's word, or for its death before it could speak. */
function booted(worker: Worker, died: () => Error | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', (report: BootReport) => {
      if (report.kind === 'ready') resolve()
      else reject(new RemoteError(report.error))
    })
    worker.once('exit', (code) => reject(died() ?? new Error(`the thread exited with ${code} before it was ready`)))
  })
}

/** False when the thread is gone before it took the port. */
async function handOver({ remote, asks, state }: Supervised, peer: string, port: MessagePort): Promise<boolean> {
  if (!remote || state !== 'up') return false
  try {
    await asks.ask('connect', HAND_OVER_MS, () => remote.connect(peer, transfer(port, [port])))
    return true
  } catch (error) {
    port.close()
    if (error instanceof AskError && error.code === 'peer_down') return false
    throw error
  }
}
