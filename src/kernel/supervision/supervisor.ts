import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Remote, transfer } from 'comlink'
import { type Backoff, backoffMs } from '../../domain/delivery/backoff.ts'
import { AskError } from '../ask.ts'
import type { Clock } from '../clock.ts'
import { registerErrorTransfer } from '../error-transfer.ts'
import type { ThreadControl, ThreadStatus } from '../thread.ts'
import { asError, Incarnation } from './incarnation.ts'
import { newSupervised, type Supervised, type ThreadPlan, type ThreadState } from './supervised.ts'

export interface SupervisorReport {
  threadDown(thread: string, error: Error | undefined, restartInMs: number): void
  threadUp(thread: string, restarts: number): void
}

const RESTARTS: Backoff = { initialMs: 100, maxMs: 10_000 }
/** After this time up, failures are counted from zero again. */
const HEALTHY_MS = 30_000
/** Deadline of a start. SQLite may have a long write-ahead log to recover before the store thread is ready. */
const START_MS = 120_000
/** Deadline for a thread to take a port. */
const HAND_OVER_MS = 10_000
/** Deadline for stopping the other threads when one cannot start. */
const ABANDON_MS = 5_000

/**
 * Starts the worker threads and connects them. A worker that exits is replaced after an exponential backoff, without
 * limit on restarts: asks to it reject with `peer_down`, and its peers get new channels.
 */
export class Supervisor {
  readonly #threads = new Map<string, Supervised>()
  readonly #clock: Clock
  readonly #report: SupervisorReport
  /**
   * Threads are connected one at a time: two that come up together could each replace the channel whose end the other
   * keeps.
   */
  #connecting: Promise<void> = Promise.resolve()

  /** Throws when two plans have the same name, or a peer has no plan. */
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
   * Starts the threads in parallel. Rejects with the error of the first one that cannot start, after stopping the
   * others; no retry.
   * @param isWanted the others stay stopped until `replace`
   */
  async start(isWanted: (name: string) => boolean = () => true): Promise<void> {
    const threads = [...this.#threads.values()].filter(({ plan }) => isWanted(plan.name))
    try {
      await Promise.all(threads.map((thread) => this.#spawn(thread)))
    } catch (error) {
      await Promise.allSettled(threads.map(({ plan }) => this.stop(plan.name, ABANDON_MS)))
      throw error
    }
  }

  /** Rejects with `ask_timeout`, `peer_down`, or with the actor's error as a `RemoteError`. */
  ask(thread: string, actor: string, query: { readonly kind: string }, deadlineMs: number): Promise<unknown> {
    return this.#call(thread, `${actor} ${query.kind}`, deadlineMs, (remote) => remote.ask(actor, query))
  }

  /** Rejects with `ask_timeout`, `peer_down`. */
  status(thread: string, deadlineMs: number): Promise<ThreadStatus> {
    return this.#call(thread, 'status', deadlineMs, (remote) => remote.status())
  }

  states(): { readonly name: string; readonly state: ThreadState; readonly restarts: number }[] {
    return Array.from(this.#threads.values(), ({ plan, state, restarts }) => ({ name: plan.name, state, restarts }))
  }

  /**
   * Lets the thread finish its work within the deadline, then terminates it. Calls during a stop share it. Rejects with
   * `ask_timeout`, `peer_down` or the thread's error when it did not finish; the thread is terminated all the same.
   */
  stop(name: string, deadlineMs: number): Promise<void> {
    const thread = this.#thread(name)
    if (thread.state === 'stopped') return this.#dropSpare(thread)
    thread.stopping ??= this.#terminate(thread, deadlineMs)
    return thread.stopping
  }

  /**
   * Stops the thread and starts it with its plan's current boot settings. Messages to it wait with their senders
   * meanwhile. Rejects when the new worker does not start; it is then restarted like one that exited.
   */
  async replace(name: string, deadlineMs: number): Promise<void> {
    const thread = this.#thread(name)
    if (thread.state !== 'stopped')
      await this.stop(name, deadlineMs).catch((error) => this.#report.threadDown(name, asError(error), 0))
    try {
      await this.#spawn(thread)
    } catch (error) {
      if (isStarting(thread)) this.#restartLater(thread, asError(error))
      throw error
    }
  }

  /**
   * Makes the next start of a stopped thread faster: its worker runs already, and has loaded its code. Has no effect on
   * a thread that is not stopped.
   */
  prepare(name: string): void {
    const thread = this.#thread(name)
    if (thread.state !== 'stopped' || thread.spare !== undefined) return
    const spare = new Incarnation(thread.plan, { spareOf: name })
    thread.spare = spare
    spare.worker.once('exit', () => {
      if (thread.spare === spare) void this.#dropSpare(thread)
    })
  }

  async #dropSpare(thread: Supervised): Promise<void> {
    const { spare } = thread
    thread.spare = undefined
    await spare?.terminate()
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

  /**
   * When it rejects, its worker has exited. The state is then still `starting`, unless the thread was stopped or had
   * been up.
   */
  #spawn(thread: Supervised): Promise<void> {
    thread.state = 'starting'
    thread.starting = this.#startIncarnation(thread)
    return thread.starting
  }

  async #startIncarnation(thread: Supervised): Promise<void> {
    const { plan } = thread
    const { name } = plan
    const incarnation = thread.spare ?? new Incarnation(plan)
    thread.spare = undefined
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

  /**
   * Connects a thread that came up with main and with each connected peer. A peer that is not connected yet makes their
   * channel itself.
   */
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

  /**
   * Returns false when the thread has no worker, or its worker did not take the port; such a worker is terminated, to
   * be restarted.
   */
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
    const delayMs = backoffMs(thread.failuresInARow, RESTARTS)
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
      // An abandoned start must have ended before the next one begins.
      if (state === 'starting') await starting?.catch(() => {})
      thread.state = 'stopped'
      thread.stopping = undefined
    }
  }
}

/** Reads the state again after an await, during which it may have changed. */
const isStarting = ({ state }: Supervised) => state === 'starting'
