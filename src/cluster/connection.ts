import type { Socket } from 'node:net'
import type { Client } from 'pg'
import { connectTo } from '../postgres/connect.ts'
import { sessionSettings } from '../postgres/session.ts'
import { endpointsOf, type PostgresSettings } from '../postgres/settings.ts'
import type { Connection, Row } from './contract.ts'

interface ConnectionOptions {
  readonly applicationName: string
  /** For connecting, and for each answer. */
  readonly timeoutMs: number
  /** Channel to listen to. */
  readonly channel: string
  /** Called when a notification comes. */
  woken(): void
  /** Monotonic milliseconds. */
  elapsed(): number
}

/** Settings for the session of beats. They are not held up by a standby that is away: the next beat tells more. */
const SESSION = "SELECT set_config('synchronous_commit', 'local', false)"

/**
 * Opens a connection of its own for beats, to the direct address of the server. After any error it is given up, and the
 * next query connects anew: the server may have failed over, and a silent connection tells nothing.
 */
export function openConnection(settings: PostgresSettings, options: ConnectionOptions): Connection {
  const { applicationName, timeoutMs, channel, woken, elapsed } = options
  const plan = {
    endpoints: endpointsOf(settings.listenUrl || settings.url),
    timeoutMs,
    session: sessionSettings(settings.schema, timeoutMs),
  }
  let current: { readonly client: Client; readonly since: number } | undefined

  async function connect(): Promise<Client> {
    const { client } = await connectTo(plan, applicationName)
    try {
      client.on('notification', woken)
      client.on('error', () => giveUp(client))
      client.on('end', () => giveUp(client))
      await client.query(SESSION)
      await client.query(`LISTEN "${channel}"`)
    } catch (error) {
      destroy(client)
      throw error
    }
    current = { client, since: elapsed() }
    return client
  }

  function giveUp(client: Client): void {
    if (current?.client === client) current = undefined
    destroy(client)
  }

  return {
    async query(text, values = []): Promise<readonly Row[]> {
      const client = current?.client ?? (await connect())
      try {
        return (await client.query<Row>(text, [...values])).rows
      } catch (error) {
        giveUp(client)
        throw error
      }
    },
    get since() {
      return current?.since
    },
    async close() {
      if (current) giveUp(current.client)
    },
  }
}

/** Ends a connection without waiting for the server. */
function destroy(client: Client): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection
  stream.destroy()
}
