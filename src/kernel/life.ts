import { MessageChannel, Worker, type WorkerOptions } from 'node:worker_threads'
import { type Remote, wrap } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import type { Clock } from './clock.ts'
import type { BootReport, StartMessage, ThreadControl } from './thread.ts'
import { RemoteError } from './wire.ts'

/** What a worker is started with. */
export interface Start {
  readonly name: string
  readonly script: URL
  readonly boot: unknown
  readonly options?: WorkerOptions
}

/** One life of a thread: a worker from its start to its exit. Its owner listens for `exit` on the worker. */
export class Life {
  readonly worker: Worker
  readonly remote: Remote<ThreadControl>
  /** What it died of, as far as that is known. */
  error: Error | undefined

  /** Throws when there is nothing to start or `boot` cannot cross a thread boundary; no worker is left then. */
  constructor({ name, script, boot, options }: Start) {
    const { port1: control, port2: far } = new MessageChannel()
    this.worker = new Worker(script, { ...options, name })
    this.worker.on('error', (error) => {
      this.error = asError(error)
    })
    const start: StartMessage = { kind: 'start', thread: name, boot, control: far }
    try {
      this.worker.postMessage(start, [far])
    } catch (error) {
      control.close()
      void this.worker.terminate()
      throw error
    }
    this.remote = wrap<ThreadControl>(nodeEndpoint(control))
  }

  /** Rejects with what the worker could not start for, be it its own word, its death, or a silence of `deadlineMs`. */
  ready(clock: Clock, deadlineMs: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const silent = () => reject(new Error(`the thread was not ready within ${deadlineMs} ms`))
      const timer = clock.setTimer(deadlineMs, silent)
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

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}

export const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))
