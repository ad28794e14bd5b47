import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { CONNECTION_FAILURE, PostgresError } from './errors.ts'
import type { ConnectPlan, ServerIdentity, ToOwner, ToWorker, WorkerStart } from './protocol.ts'

/** Time for a new thread to load `pg`, on top of that for the connection. */
const START_MS = 2_000

interface Thread {
  readonly worker: Worker
  readonly lane: MessagePort
  readonly count: Int32Array
  /** Messages that were taken. */
  taken: number
}

/** A connection to PostgreSQL whose bytes another thread carries, while this one waits. */
export type Link = ReturnType<typeof openLink>

export function openLink(applicationName: string) {
  let thread: Thread | undefined
  let connection = 0
  let last = 0

  function started(): Thread {
    if (thread) return thread
    thread = startThread(applicationName)
    const { worker } = thread
    const dead = () => {
      if (thread?.worker === worker) discard()
    }
    worker.on('error', dead).on('exit', dead)
    worker.unref()
    return thread
  }

  /** Ends a thread that does not answer, and with it its connections. */
  function discard(): void {
    const dead = thread
    thread = undefined
    connection = 0
    dead?.lane.close()
    dead?.worker.terminate()
  }

  /** Waits for a message about a connection; undefined: none came in time. */
  function message(of: Thread, about: number, deadline: number): ToOwner | undefined {
    for (;;) {
      while (Atomics.load(of.count, 0) === of.taken) {
        const left = deadline - performance.now()
        if (left <= 0 || Atomics.wait(of.count, 0, of.taken, left) === 'timed-out') return undefined
      }
      of.taken = (of.taken + 1) | 0
      const received = receiveMessageOnPort(of.lane)?.message as ToOwner | undefined
      if (received?.connection === about) return received
    }
  }

  /** Takes messages that came while nobody waited: the end of an idle connection. */
  function drain(of: Thread): void {
    while (Atomics.load(of.count, 0) !== of.taken) {
      of.taken = (of.taken + 1) | 0
      const received = receiveMessageOnPort(of.lane)?.message as ToOwner | undefined
      if (received?.kind === 'lost' && received.connection === connection) connection = 0
    }
  }

  function lost(sqlstate: string, text: string, sent = true): PostgresError {
    connection = 0
    return new PostgresError(sqlstate, text, { sent })
  }

  return {
    /** Number of the connection, which grows with each new one; 0: there is none. */
    get connection() {
      if (thread) drain(thread)
      return connection
    },
    /** Makes a connection in place of an earlier one. Blocks until then. Throws `PostgresError` with `sent` false. */
    connect(plan: ConnectPlan): ServerIdentity {
      const to = started()
      connection = 0
      const number = ++last
      tell(to, { kind: 'connect', connection: number, plan })
      const answer = message(to, number, performance.now() + plan.timeoutMs + START_MS)
      if (answer?.kind === 'connected') {
        connection = number
        return answer.server
      }
      if (answer === undefined) discard()
      throw answer?.kind === 'lost'
        ? lost(answer.sqlstate, answer.message, false)
        : lost(CONNECTION_FAILURE, 'the thread of the connection did not answer', false)
    },
    /**
     * Sends a request that ends with a Sync, and blocks until its reply has come. Throws `PostgresError` of class 08 or 57 when the
     * connection is lost or silent for `timeoutMs`; then there is no connection.
     */
    exchange(bytes: Uint8Array<ArrayBuffer>, timeoutMs: number): Buffer {
      if (thread === undefined || connection === 0) throw lost(CONNECTION_FAILURE, 'there is no connection', false)
      tell(thread, { kind: 'send', connection, bytes }, [bytes.buffer])
      const answer = message(thread, connection, performance.now() + timeoutMs)
      if (answer?.kind === 'reply') return Buffer.from(answer.bytes.buffer as ArrayBuffer)
      if (answer?.kind === 'lost') throw lost(answer.sqlstate, answer.message)
      throw lost(CONNECTION_FAILURE, `the server did not answer within ${Math.round(timeoutMs)} ms`)
    },
    /** Leaves the connection: the next use makes a new one. */
    drop(): void {
      connection = 0
    },
    close: discard,
  }
}

function tell(to: Thread, message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
  to.lane.postMessage(message, transfer)
}

function startThread(applicationName: string): Thread {
  const lane = new MessageChannel()
  const sent = new SharedArrayBuffer(4)
  const workerData: WorkerStart = { lane: lane.port2, sent, applicationName }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: 'postgres',
    workerData,
    transferList: [lane.port2],
  })
  return { worker, lane: lane.port1, count: new Int32Array(sent), taken: 0 }
}
