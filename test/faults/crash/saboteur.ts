import { BroadcastChannel, isMainThread, threadName, type Worker } from 'node:worker_threads'

/** A fault to inject into one thread of a service that was started with `SABOTAGED`. */
export interface SabotageOrder {
  /**
   * `render`: the youngest render thread; only `terminate` reaches it. `front-2`: only `throw`, since terminating a
   * front ends the process.
   */
  readonly thread: 'store' | 'send' | 'agent' | 'render' | 'front-2'
  readonly does: 'terminate' | 'exit' | 'throw' | 'exhaust' | 'block'
  /** Duration of `block`. */
  readonly ms?: number
}

/**
 * Environment of a service that carries out the orders sent to its process, and whose threads may use 192 MiB of heap
 * each.
 */
export const SABOTAGED = {
  NODE_OPTIONS: `--disable-warning=ExperimentalWarning --max-old-space-size=192 --import=${import.meta.url}`,
}

/** Threads that the supervisor starts again. */
export const SUPERVISED = ['store', 'send', 'agent'] as const

const named: ReadonlySet<string> = new Set([...SUPERVISED, 'front-2'])
const children = new Map<string, Worker>()

function carryOut({ thread, does, ms = 0 }: SabotageOrder): void {
  if (does === 'terminate') return void children.get(thread)?.terminate()
  if (thread !== threadName) return
  switch (does) {
    case 'exit':
      return process.exit(1)
    case 'throw':
      return void setImmediate(() => {
        throw new Error('sabotage')
      })
    case 'exhaust':
      for (const hoard: object[] = []; ; ) hoard.push(Array.from({ length: 1_000 }, () => ({})))
    case 'block':
      return void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    default:
      does satisfies never
  }
}

/**
 * Runs in the sabotaged process and in each of its threads, where `--import` loads this file. A test that imports it
 * only gets the exports.
 */
if (process.env.NODE_OPTIONS?.includes(import.meta.url)) {
  process.on('worker', (worker) => {
    const name = (worker as Worker & { readonly threadName?: string }).threadName ?? ''
    children.set(named.has(name) ? name : 'render', worker)
  })
  const channel = new BroadcastChannel('sabotage')
  channel.unref()
  channel.onmessage = (event) => carryOut((event as { readonly data: SabotageOrder }).data)
  if (isMainThread) {
    process.on('message', (order: SabotageOrder) => {
      channel.postMessage(order)
      carryOut(order)
    })
    process.channel?.unref()
  }
}
