import type { Duplex } from 'node:stream'
import { workerData } from 'node:worker_threads'
import type { Client } from 'pg'
import { type Connected, connectTo } from './connect.ts'
import { CONNECTION_FAILURE, type PostgresError } from './errors.ts'
import type { ConnectPlan, ToOwner, ToWorker, WorkerStart } from './protocol.ts'
import { ReplyCollector } from './wire/collector.ts'

/**
 * Holds the connections of a thread that waits for them with `Atomics.wait`. `pg` makes a connection; then the bytes of
 * requests and replies pass through, because only the waiting thread has to understand them.
 */
const { lane, sent, applicationName } = workerData as WorkerStart
const count = new Int32Array(sent)

let current: { readonly connection: number; readonly client: Client; readonly stream: Duplex } | undefined

function tell(message: ToOwner, transfer: readonly ArrayBuffer[] = []): void {
  lane.postMessage(message, transfer)
  Atomics.add(count, 0, 1)
  Atomics.notify(count, 0)
}

function lost(connection: number, { sqlstate = CONNECTION_FAILURE, message }: Partial<PostgresError> & Error): void {
  if (current?.connection === connection) {
    current.stream.destroy()
    current = undefined
  }
  tell({ kind: 'lost', connection, sqlstate, message })
}

async function connect(connection: number, plan: ConnectPlan): Promise<void> {
  current?.stream.destroy()
  current = undefined
  let connected: Connected
  try {
    connected = await connectTo(plan, applicationName)
  } catch (error) {
    return lost(connection, error as PostgresError)
  }
  const { client, server } = connected
  const stream = takeOver(connection, client)
  current = { connection, client, stream }
  tell({ kind: 'connected', connection, server })
}

/** Reads the stream of a connection in place of `pg`. */
function takeOver(connection: number, client: Client): Duplex {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  const collector = new ReplyCollector((bytes) => tell({ kind: 'reply', connection, bytes }, [bytes.buffer]))
  stream.removeAllListeners('data')
  stream.on('data', (chunk: Buffer) => collector.add(chunk))
  let ended = false
  const end = (error: Error) => {
    if (ended || current?.connection !== connection) return
    ended = true
    lost(connection, collector.lastError() ?? error)
  }
  stream.on('error', end)
  stream.on('close', () => end(new Error('the server closed the connection')))
  return stream
}

lane.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'connect':
      return void connect(message.connection, message.plan)
    case 'send':
      if (current?.connection === message.connection) current.stream.write(message.bytes)
      return
    default:
      message satisfies never
  }
})
