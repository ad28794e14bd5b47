import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { LatencyCurve } from './latencies.ts'

export interface LoadOptions {
  /** 0: a closed loop, in which each connection posts again as soon as it is answered. */
  readonly perSecond: number
  readonly seconds: number
  readonly connections?: number
  /**
   * An incident that is due while every connection waits for an answer is posted later (`queue`, the default) or left
   * out (`skip`).
   */
  readonly whenBusy?: 'queue' | 'skip'
}

export interface LoadOutcome {
  /** Requests by status; `none`: the connection broke, or there was no answer within 20 s. */
  readonly statuses: { readonly [status: string]: number }
  /** Requests that were answered 201. */
  readonly accepted: number
  /** All others. */
  readonly refused: number
  /** Until the last answer. */
  readonly seconds: number
  /** From the time at which an incident was due to its answer. */
  readonly curve: LatencyCurve
}

const SCRIPT = fileURLToPath(new URL('./open-loop-client.ts', import.meta.url))

/** Posts incidents of a kilobyte, each with its due time in its text, from a process of its own. */
export async function postOpenLoop(url: string, options: LoadOptions): Promise<LoadOutcome> {
  const args = ['--disable-warning=ExperimentalWarning', SCRIPT, url, JSON.stringify(options)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}
