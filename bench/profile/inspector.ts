/** A thread of a process that runs with `--inspect`. */
export interface Thread {
  readonly name: string
  /** Calls a method of the inspector protocol. Rejects when the thread refuses or has ended. */
  send<T = unknown>(method: string, params?: object): Promise<T>
}

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly method?: string
  readonly params?: unknown
}
interface Attached {
  readonly sessionId: string
  readonly workerInfo: { readonly title: string; readonly url: string }
}
interface FromWorker {
  readonly sessionId: string
  readonly message: string
}

/**
 * Connects to the inspector of a process and calls `onThread` for each thread: nested ones and later ones included. A
 * worker is reached through the thread that started it, in messages within messages. A new worker waits for
 * `Runtime.runIfWaitingForDebugger`.
 */
export async function inspect(url: string, onThread: (thread: Thread) => void): Promise<{ close(): void }> {
  const socket = new WebSocket(url)
  const main = new Session('main', (text) => socket.send(text), onThread)
  socket.addEventListener('message', ({ data }) => main.receive(String(data)))
  socket.addEventListener('close', () => main.end())
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`the inspector at ${url} cannot be reached`)), {
      once: true,
    })
  })
  await main.begin()
  return { close: () => socket.close() }
}

class Session implements Thread {
  readonly name: string
  readonly #post: (text: string) => void
  readonly #onThread: (thread: Thread) => void
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #workers = new Map<string, Session>()
  #id = 0

  constructor(name: string, post: (text: string) => void, onThread: (thread: Thread) => void) {
    this.name = name
    this.#post = post
    this.#onThread = onThread
  }

  async begin(): Promise<void> {
    this.#onThread(this)
    await this.send('NodeWorker.enable', { waitForDebuggerOnStart: true })
  }

  send<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.#id
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, answer)
    this.#post(JSON.stringify({ id, method, params }))
    return answer.promise as Promise<T>
  }

  receive(text: string): void {
    const { id, result, error, method, params } = JSON.parse(text) as Answer
    if (method === 'NodeWorker.attachedToWorker') this.#attach(params as Attached)
    if (method === 'NodeWorker.detachedFromWorker') this.#workers.get((params as Attached).sessionId)?.end()
    if (method === 'NodeWorker.receivedMessageFromWorker') {
      const { sessionId, message } = params as FromWorker
      this.#workers.get(sessionId)?.receive(message)
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || waiting === undefined) return
    this.#waiting.delete(id)
    if (error) waiting.reject(new Error(`${this.name}: ${error.message}`))
    else waiting.resolve(result)
  }

  end(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`${this.name} has ended`))
    this.#waiting.clear()
    for (const worker of this.#workers.values()) worker.end()
  }

  #attach({ sessionId, workerInfo: { title, url } }: Attached): void {
    const post = (message: string) =>
      void this.send('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(() => {})
    const worker = new Session(nameOf(title, url), post, this.#onThread)
    this.#workers.set(sessionId, worker)
    worker.begin().catch(() => {})
  }
}

/**
 * Name of a thread: `store` for the title `[worker 1] store`. Piscina's threads have no name; they are the render
 * threads.
 */
function nameOf(title: string, url: string): string {
  if (url.includes('/piscina/')) return 'render'
  const [, name = ''] = /^\[worker \d+\] ?(.*)$/.exec(title) ?? []
  return name === '' ? 'worker' : name
}
