import type { WorkerOptions } from 'node:worker_threads'
import { PendingAsks } from '../ask.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Link } from '../link.ts'
import type { Incarnation } from './incarnation.ts'

export interface ThreadPlan {
  readonly name: string
  readonly script: URL
  /** Returns the boot settings. Called at each start, so that a restarted thread gets the current ones. */
  boot(): unknown
  /** Names of the worker threads it has edges with. It is enough when one of both names the other. */
  readonly peers: readonly string[]
  /** The supervising thread's link to it. */
  readonly link: Link
  readonly options?: WorkerOptions
}

/**
 * - starting: the worker runs and is not ready; leaves to up, down, stopping
 * - up: ready, and connected to its peers one after another; leaves to down when the worker exits, to stopping
 * - down: waits for its restart; leaves to starting, stopping
 * - stopping: finishes its work, then is terminated; leaves to stopped
 * - stopped: not started yet, or stopped; leaves to starting
 */
export type ThreadState = 'starting' | 'up' | 'down' | 'stopping' | 'stopped'

/** A thread as its supervisor knows it. */
export interface Supervised {
  readonly plan: ThreadPlan
  readonly pendingAsks: PendingAsks
  state: ThreadState
  incarnation: Incarnation | undefined
  /** A worker that waits for the next start of a stopped thread. */
  spare: Incarnation | undefined
  /** The incarnation that has its channels. */
  connectedIncarnation: Incarnation | undefined
  restarts: number
  failuresInARow: number
  upSince: number
  backoff: Timer | undefined
  starting: Promise<void> | undefined
  stopping: Promise<void> | undefined
}

export function newSupervised(plan: ThreadPlan, clock: Clock): Supervised {
  return {
    plan,
    pendingAsks: new PendingAsks(plan.name, clock),
    state: 'stopped',
    incarnation: undefined,
    spare: undefined,
    connectedIncarnation: undefined,
    restarts: 0,
    failuresInARow: 0,
    upSince: 0,
    backoff: undefined,
    starting: undefined,
    stopping: undefined,
  }
}
