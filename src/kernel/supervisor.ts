import { MessageChannel, type MessagePort, type WorkerOptions } from 'node:worker_threads'
import { type Remote, transfer } from 'comlink'
import { AskError, PendingAsks } from './ask.ts'
import { type Restarts, restartDelayMs } from './cell.ts'
import type { Clock, Timer } from './clock.ts'
import { registerErrorTransfer } from './error-transfer.ts'
import { asError, Incarnation } from './incarnation.ts'
import type { Link } from './link.ts'
import type { ThreadControl, ThreadStatus } from './thread.ts'

/** One worker thread as the architecture draws it. */
export interface ThreadPlan {
  readonly name: string
  readonly script: URL
  /** What to run; asked for again at every start, so that a restarted thread gets what is current. */
  boot(): unknown
  /** Names of the worker threads it has edges with; one side's word is enough. */
  readonly peers: readonly string[]
  /** This thread's link to it. */
  readonly link: Link
  readonly options?: WorkerOptions
}

export interface SupervisorReport {
  threadDown(thread: string, error: Error | undefined, restartInMs: number): void
  threadUp(thread: string, restarts: number): void
}

type ThreadState = 'starting' | 'up' | 'down' | 'stopping' | 'stopped'

interface Supervised {
  readonly plan: ThreadPlan
  readonly pendingAsks: PendingAsks
  state: ThreadState
  incarnation: Incarnation | undefined
  /** The life that has been given its channels. */
  connectedIncarnation: Incarnation | undefined
  restarts: number
  failuresInARow: number
  upSince: number
  backoff: Timer | undefined
  starting: Promise<void> | undefined
  stopping: Promise<void> | undefined
}

const RESTARTS: Restarts = { initialMs: 100, maxMs: 10_000 }
/** A thread that was up this long starts counting its failures anew. */
const HEALTHY_MS = 30_000
/** Generous: a store may have a long log to recover before it is ready. */
const START_MS = 120_000
const HAND_OVER_MS = 10_000
/** For what was started beside a thread that could not start. */
const ABANDON_MS = 5_000

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

  /** Throws when two plans have one name, or a peer has no plan. */
  constructor(plans: readonly ThreadPlan[], clock: Clock, report: SupervisorReport) {
    registerErrorTransfer()
    this.#clock = clock
    this.#report = report
    for (const plan of plans) {
      if (this.#threads.has(plan.name)) throw new Error(`two threads are called ${plan.name}`)
      this.#threads.set(plan.name, newSupervised(plan, clock))
    }
    for (const { peers } of plans) for (const peer of peers) this.#thread(peer)
  }

  /**
   * All at once. Rejects with the own error of the first that cannot start: nothing is retried then, and all the others are stopped.
   */
  async start(): Promise<void> {
    const threads = [...this.#threads.values()]
    try {
      await Promise.all(threads.map((thread) => this.#spawn(thread)))
    } catch (error) {
      await Promise.allSettled(threads.map(({ plan }) => this.stop(plan.name, ABANDON_MS)))
      throw error
    }
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

  /**
   * Lets the thread finish its work within the deadline, then ends it; called again, it is the same stop. Rejects when the thread did not
   * end in good order; it has ended all the same.
   */
  stop(name: string, deadlineMs: number): Promise<void> {
    const thread = this.#thread(name)
    if (thread.state === 'stopped') return Promise.resolve()
    thread.stopping ??= this.#terminate(thread, deadlineMs)
    return thread.stopping
  }

  /**
   * Stops the thread in good order and starts it with what its plan says now; what it is to be told meanwhile waits with its peers. Rejects
   * when the new one does not start at once; it is tried again like one that died.
   */
  async replace(name: string, deadlineMs: number): Promise<void> {
    const thread = this.#thread(name)
    await this.stop(name, deadlineMs).catch((error) => this.#report.threadDown(name, asError(error), 0))
    try {
      await this.#spawn(thread)
    } catch (error) {
      if (isStarting(thread)) this.#restartLater(thread, asError(error))
      throw error
    }
  }

  #call<T>(
    name: string,
    what: string,
    deadlineMs: number,
    call: (remote: Remote<ThreadControl>) => Promise<T>,
  ): Promise<T> {
    const { incarnation, state, pendingAsks } = this.#thread(name)
    if (!incarnation || state !== 'up') return Promise.reject(new AskError('peer_down', `${name} is down`))
    return pendingAsks.ask(what, deadlineMs, () => call(incarnation.remote))
  }

  #thread(name: string): Supervised {
    const thread = this.#threads.get(name)
    if (!thread) throw new Error(`no thread is called ${name}`)
    return thread
  }

  /** When it rejects, no worker is left; the state is still `starting` unless somebody stopped the thread or it has been up already. */
  #spawn(thread: Supervised): Promise<void> {
    thread.state = 'starting'
    thread.starting = this.#startIncarnation(thread)
    return thread.starting
  }

  async #startIncarnation(thread: Supervised): Promise<void> {
    const { plan } = thread
    const { name } = plan
    const incarnation = new Incarnation(plan)
    thread.incarnation = incarnation
    incarnation.worker.once('exit', () => this.#exited(thread, incarnation))
    try {
      await incarnation.start(plan.boot(), this.#clock, START_MS)
      if (thread.incarnation !== incarnation || thread.state !== 'starting')
        throw new AskError('peer_down', `${name} was stopped`)
      thread.state = 'up'
      thread.upSince = this.#clock.elapsed()
      const connecting = this.#connecting.then(() => this.#connect(thread, incarnation))
      this.#connecting = connecting.catch(() => {})
      await connecting
    } catch (error) {
      await incarnation.terminate()
      throw error
    }
    if (thread.incarnation === incarnation && thread.state === 'up') this.#report.threadUp(name, thread.restarts)
  }

  /** Whoever is down at that moment, or up and next to be connected, makes the channels between both in its own turn. */
  async #connect(thread: Supervised, incarnation: Incarnation): Promise<void> {
    const { plan } = thread
    thread.connectedIncarnation = incarnation
    const here = new MessageChannel()
    if (await this.#handOver(thread, 'main', here.port1)) plan.link.attach(here.port2)
    for (const peer of this.#threads.values()) {
      if (thread.incarnation !== incarnation) return
      if (peer.state !== 'up' || peer.connectedIncarnation !== peer.incarnation) continue
      if (!(plan.peers.includes(peer.plan.name) || peer.plan.peers.includes(plan.name))) continue
      const between = new MessageChannel()
      if (await this.#handOver(peer, plan.name, between.port1)) {
        await this.#handOver(thread, peer.plan.name, between.port2)
      }
    }
  }

  /** False when the thread is gone before it took the port. One that does not take it is hung or broken: it is ended, to be started again. */
  async #handOver(thread: Supervised, peer: string, port: MessagePort): Promise<boolean> {
    const { incarnation, state, pendingAsks } = thread
    try {
      if (!incarnation || state !== 'up') throw new AskError('peer_down', `${thread.plan.name} is down`)
      await pendingAsks.ask('connect', HAND_OVER_MS, () => incarnation.remote.connect(peer, transfer(port, [port])))
      return true
    } catch (error) {
      port.close()
      if (incarnation && !(error instanceof AskError && error.code === 'peer_down')) {
        incarnation.error ??= asError(error)
        await incarnation.terminate()
      }
      return false
    }
  }

  #exited(thread: Supervised, incarnation: Incarnation): void {
    if (thread.incarnation !== incarnation) return
    const wasUp = thread.state === 'up'
    thread.incarnation = undefined
    thread.pendingAsks.peerGone()
    thread.plan.link.detach()
    if (!wasUp) return
    if (this.#clock.elapsed() - thread.upSince > HEALTHY_MS) thread.failuresInARow = 0
    this.#restartLater(thread, incarnation.error)
  }

  #restartLater(thread: Supervised, error: Error | undefined): void {
    thread.state = 'down'
    thread.failuresInARow++
    const delayMs = restartDelayMs(thread.failuresInARow, RESTARTS)
    thread.backoff = this.#clock.setTimer(delayMs, () => void this.#restart(thread))
    this.#report.threadDown(thread.plan.name, error, delayMs)
  }

  async #restart(thread: Supervised): Promise<void> {
    if (thread.state !== 'down') return
    thread.restarts++
    try {
      await this.#spawn(thread)
    } catch (error) {
      if (isStarting(thread)) this.#restartLater(thread, asError(error))
    }
  }

  async #terminate(thread: Supervised, deadlineMs: number): Promise<void> {
    const { incarnation, state, starting, pendingAsks } = thread
    thread.state = 'stopping'
    thread.backoff?.cancel()
    try {
      if (state === 'up' && incarnation)
        await pendingAsks.ask('stop', deadlineMs, () => incarnation.remote.stop(deadlineMs))
    } finally {
      await incarnation?.terminate()
      // A start that is given up has to be through before there can be another.
      if (state === 'starting') await starting?.catch(() => {})
      thread.state = 'stopped'
      thread.stopping = undefined
    }
  }
}

function newSupervised(plan: ThreadPlan, clock: Clock): Supervised {
  return {
    plan,
    pendingAsks: new PendingAsks(plan.name, clock),
    state: 'stopped',
    incarnation: undefined,
    connectedIncarnation: undefined,
    restarts: 0,
    failuresInARow: 0,
    upSince: 0,
    backoff: undefined,
    starting: undefined,
    stopping: undefined,
  }
}

/** Asked anew after waiting, when others have moved the state. */
const isStarting = ({ state }: Supervised) => state === 'starting'
