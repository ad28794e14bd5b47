import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads'
import { type Remote, wrap } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import type { Clock } from '../clock.ts'
import { RemoteError } from '../error-transfer.ts'
import type { BootReport, StartMessage, ThreadControl } from '../thread.ts'

interface WorkerScript {
  readonly name: string
  readonly script: URL
  readonly options?: WorkerOptions
}

/** `workerData` of a worker that waits as a spare: it may load its code before it is started. */
export interface SpareData {
  readonly spareOf: string
}

/**
 * One worker thread from its start to its exit. The owner listens for `exit` on `worker`.
 *
 * - created: the worker runs and waits for `start`; leaves to ready, exited
 * - ready: its actors are built; leaves to exited
 * - exited: for good; a restart makes a new incarnation
 */
export class Incarnation {
  readonly worker: Worker
  readonly remote: Remote<ThreadControl>
  /** Cause of its exit; undefined when it is not known. */
  error: Error | undefined
  readonly #name: string
  readonly #control: MessagePort
  readonly #farControl: MessagePort

  /** @param data `workerData` of the worker */
  constructor({ name, script, options }: WorkerScript, data?: SpareData) {
    const { port1: control, port2: farControl } = new MessageChannel()
    this.#name = name
    this.#control = control
    this.#farControl = farControl
    this.worker = new Worker(script, { ...options, name, workerData: data })
    this.worker.on('error', (error) => {
      this.error = asError(error)
    })
    this.remote = wrap<ThreadControl>(nodeEndpoint(control))
  }

  /**
   * Sends `boot` and resolves when the worker is ready. Rejects with the error that the worker reports, or when it
   * exits, when it is not ready within `deadlineMs`, or when `boot` cannot be cloned.
   */
  start(boot: unknown, clock: Clock, deadlineMs: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const startMessage: StartMessage = { kind: 'start', thread: this.#name, boot, control: this.#farControl }
      this.worker.postMessage(startMessage, [this.#farControl])
      const late = () => reject(new Error(`the thread was not ready within ${deadlineMs} ms`))
      const timer = clock.setTimer(deadlineMs, late)
      this.worker.once('message', (report: BootReport) => {
        timer.cancel()
        if (report.kind === 'ready') resolve()
        else reject(new RemoteError(report.error))
      })
      this.worker.once('exit', (code) => {
        timer.cancel()
        reject(this.error ?? new Error(`the thread exited with ${code} before it was ready`))
      })
    })
  }

  /** Resolves when the worker has exited. */
  async terminate(): Promise<void> {
    this.#control.close()
    await this.worker.terminate()
  }
}

/** Returns the Error that was thrown, or an Error with the text of anything else. */
export const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))
