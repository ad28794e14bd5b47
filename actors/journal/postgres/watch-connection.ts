import { connectPostgres } from '../../../src/postgres/connect.ts'
import type { PostgresSettings } from '../../../src/postgres/settings.ts'

/** A connection beside that of the appends, which does not block the thread. */
export interface WatchConnection {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly (readonly number[])[] }>
  /** Listens from now on, if it does not. A notification wakes each process of the server that listens. */
  listen(): Promise<void>
  /** Safe to call twice. */
  close(): void
}

export const CHANNEL = 'tocsin_journal'

/**
 * Connects without blocking the thread. Its writes are hints and deletions of what is not needed: they need not be on disk
 * when they are answered. Rejects with `storage_down`. `notified`: called while it listens.
 */
export async function connectWatch(
  settings: PostgresSettings,
  { notified }: { notified(): void },
): Promise<WatchConnection> {
  const { url, listenUrl } = settings
  const client = await connectPostgres(settings, {
    applicationName: 'tocsin journal watch',
    url: listenUrl === '' ? url : listenUrl,
  })
  client.on('notification', notified)
  try {
    await client.query('SET synchronous_commit TO off')
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  let last: Promise<unknown> = Promise.resolve()
  /** `pg` takes one query at a time. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
  let isListening = false
  return {
    async listen() {
      if (isListening) return
      await inTurn(() => client.query(`LISTEN ${CHANNEL}`))
      isListening = true
    },
    async query(text, values = []) {
      const { rows } = await inTurn(() => client.query<number[]>({ text, values: [...values], rowMode: 'array' }))
      return { rows: rows.map((row) => row.map(Number)) }
    },
    close: () => void client.end().catch(() => {}),
  }
}
