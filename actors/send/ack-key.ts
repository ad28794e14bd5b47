import { openKey } from '../../src/oncall/ack-key.ts'
import type { PostgresSettings } from '../../src/postgres/settings.ts'
import type { SendBoot } from '../wiring/boot.ts'

const NAME = 'ack'

export type AckKey = Awaited<ReturnType<typeof ackKeyOf>>

/** Opens the key that signs acknowledge links: a file, or a row of the database that replicas share. */
export async function ackKeyOf({ dataDir, postgres }: SendBoot) {
  if (postgres !== undefined) return keyInDatabase(postgres)
  return { open: () => openKey(dataDir), existing: () => undefined }
}

async function keyInDatabase(settings: PostgresSettings) {
  const [{ openSyncPostgres }, { openSecret, existingSecret }] = await Promise.all([
    import('../../src/postgres/sync.ts'),
    import('../../src/postgres/shared-files.ts'),
  ])
  let known: Uint8Array | undefined
  /** Over a connection of its own: the key is asked for once. */
  function read(how: typeof openSecret | typeof existingSecret): Uint8Array | undefined {
    const connection = openSyncPostgres(settings, { applicationName: 'tocsin key' })
    try {
      return how(connection, NAME)
    } finally {
      connection.close()
    }
  }
  return {
    /** Returns the key; makes it when there is none. Throws storage_down. */
    open(): Uint8Array {
      known ??= read(openSecret)
      return known as Uint8Array
    },
    /** Returns the key of links that were sent; undefined when none was made. Throws storage_down. */
    existing(): Uint8Array | undefined {
      known ??= read(existingSecret)
      return known
    },
  }
}
