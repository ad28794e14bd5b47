import { BroadcastChannel, isMainThread, threadName, type Worker } from 'node:worker_threads'

/** What is done to a thread. */
export interface SabotageOrder {
  /** `render` is the youngest of those that render: it can be terminated, the rest does not reach it. A front can only throw: ended from without, it ends the process. */
  readonly thread: 'store' | 'send' | 'agent' | 'render' | 'front-2'
  readonly does: 'terminate' | 'exit' | 'throw' | 'exhaust' | 'block'
  /** Of `block`: for how long. */
  readonly ms?: number
}

/** Environment in which a service carries out the orders that are sent to its process, and no thread has more than so much memory. */
export const SABOTAGED = {
  NODE_OPTIONS: `--disable-warning=ExperimentalWarning --max-old-space-size=192 --import=${import.meta.url}`,
}

/** The threads that are started again. */
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

/** Loaded by `--import`, in the process and in every supervised thread of it; by whoever gives orders it is only read. */
if (process.env.NODE_OPTIONS?.includes(import.meta.url)) {
  process.on('worker', (worker) => {
    const name = (worker as Worker & { readonly threadName?: string }).threadName ?? ''
    children.set(named.has(name) ? name : 'render', worker)
  })
  const wire = new BroadcastChannel('sabotage')
  wire.unref()
  wire.onmessage = (event) => carryOut((event as { readonly data: SabotageOrder }).data)
  if (isMainThread) {
    process.on('message', (order: SabotageOrder) => {
      wire.postMessage(order)
      carryOut(order)
    })
    process.channel?.unref()
  }
}
