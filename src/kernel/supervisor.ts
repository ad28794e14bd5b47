import { MessageChannel, type MessagePort, type WorkerOptions } from 'node:worker_threads'
import { type Remote, transfer } from 'comlink'
import { AskError, Asks } from './ask.ts'
import { type Restarts, restartDelayMs } from './cell.ts'
import type { Clock, Timer } from './clock.ts'
import { carryErrors } from './error-transfer.ts'
import { asError, Life } from './incarnation.ts'
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

export type ThreadState = 'starting' | 'up' | 'down' | 'stopping' | 'stopped'

interface Supervised {
  readonly plan: ThreadPlan
  readonly asks: Asks
  state: ThreadState
  life: Life | undefined
  /** The life that has been given its channels. */
  connected: Life | undefined
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
    carryErrors()
    this.#clock = clock
    this.#report = report
    for (const plan of plans) {
      if (this.#threads.has(plan.name)) throw new Error(`two threads are called ${plan.name}`)
      this.#threads.set(plan.name, supervised(plan, clock))
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
    thread.stopping ??= this.#end(thread, deadlineMs)
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
    const { life, state, asks } = this.#thread(name)
    if (!life || state !== 'up') return Promise.reject(new AskError('peer_down', `${name} is down`))
    return asks.ask(what, deadlineMs, () => call(life.remote))
  }

  #thread(name: string): Supervised {
    const thread = this.#threads.get(name)
    if (!thread) throw new Error(`no thread is called ${name}`)
    return thread
  }

  /** When it rejects, no worker is left; the state is still `starting` unless somebody stopped the thread or it has been up already. */
  #spawn(thread: Supervised): Promise<void> {
    thread.state = 'starting'
    thread.starting = this.#begin(thread)
    return thread.starting
  }

  async #begin(thread: Supervised): Promise<void> {
    const { plan } = thread
    const { name } = plan
    const life = new Life(plan)
    thread.life = life
    life.worker.once('exit', () => this.#exited(thread, life))
    try {
      await life.begin(plan.boot(), this.#clock, START_MS)
      if (thread.life !== life || thread.state !== 'starting') throw new AskError('peer_down', `${name} was stopped`)
      thread.state = 'up'
      thread.upSince = this.#clock.elapsed()
      const connected = this.#connecting.then(() => this.#connect(thread, life))
      this.#connecting = connected.catch(() => {})
      await connected
    } catch (error) {
      await life.end()
      throw error
    }
    if (thread.life === life && thread.state === 'up') this.#report.threadUp(name, thread.restarts)
  }

  /** Whoever is down at that moment, or up and next to be connected, makes the channels between both in its own turn. */
  async #connect(thread: Supervised, life: Life): Promise<void> {
    const { plan } = thread
    thread.connected = life
    const here = new MessageChannel()
    if (await this.#handOver(thread, 'main', here.port1)) plan.link.attach(here.port2)
    for (const peer of this.#threads.values()) {
      if (thread.life !== life) return
      if (peer.state !== 'up' || peer.connected !== peer.life) continue
      if (!(plan.peers.includes(peer.plan.name) || peer.plan.peers.includes(plan.name))) continue
      const between = new MessageChannel()
      if (await this.#handOver(peer, plan.name, between.port1)) {
        await this.#handOver(thread, peer.plan.name, between.port2)
      }
    }
  }

  /** False when the thread is gone before it took the port. One that does not take it is hung or broken: it is ended, to be started again. */
  async #handOver(thread: Supervised, peer: string, port: MessagePort): Promise<boolean> {
    const { life, state, asks } = thread
    try {
      if (!life || state !== 'up') throw new AskError('peer_down', `${thread.plan.name} is down`)
      await asks.ask('connect', HAND_OVER_MS, () => life.remote.connect(peer, transfer(port, [port])))
      return true
    } catch (error) {
      port.close()
      if (life && !(error instanceof AskError && error.code === 'peer_down')) {
        life.error ??= asError(error)
        await life.end()
      }
      return false
    }
  }

  #exited(thread: Supervised, life: Life): void {
    if (thread.life !== life) return
    const wasUp = thread.state === 'up'
    thread.life = undefined
    thread.asks.peerGone()
    thread.plan.link.detach()
    if (!wasUp) return
    if (this.#clock.elapsed() - thread.upSince > HEALTHY_MS) thread.failuresInARow = 0
    this.#restartLater(thread, life.error)
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

  async #end(thread: Supervised, deadlineMs: number): Promise<void> {
    const { life, state, starting, asks } = thread
    thread.state = 'stopping'
    thread.backoff?.cancel()
    try {
      if (state === 'up' && life) await asks.ask('stop', deadlineMs, () => life.remote.stop(deadlineMs))
    } finally {
      await life?.end()
      // A start that is given up has to be through before there can be another.
      if (state === 'starting') await starting?.catch(() => {})
      thread.state = 'stopped'
      thread.stopping = undefined
    }
  }
}

function supervised(plan: ThreadPlan, clock: Clock): Supervised {
  return {
    plan,
    asks: new Asks(plan.name, clock),
    state: 'stopped',
    life: undefined,
    connected: undefined,
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
