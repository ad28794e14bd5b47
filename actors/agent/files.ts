import { type JsonFile, openJsonFile } from '../../src/files/json-file.ts'
import type { PostgresSettings } from '../../src/postgres/settings.ts'
import type { AgentBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'

/** Opens a file of the agent by its name. */
export type OpenFile = (name: string) => JsonFile

/** Returns the files of the agent: on disk, or documents of the database that replicas share. */
export async function agentFiles(
  { dataDir, postgres }: AgentBoot,
  { clock, lease, log }: Pick<ThreadDeps, 'clock' | 'lease' | 'log'>,
): Promise<OpenFile> {
  const setAside = (name: string, as: string) =>
    log.error({ file: name, as }, 'a file of the agent is not valid JSON; it was renamed, and a new one is begun')
  if (postgres !== undefined) return documents(postgres, { term: lease.term, setAside })
  return (name) => openJsonFile({ dir: dataDir, name, now: () => clock.now(), setAside })
}

/** The connection ends with the thread. */
async function documents(
  settings: PostgresSettings,
  options: { readonly term: number; setAside(name: string, as: string): void },
): Promise<OpenFile> {
  const [{ openSyncPostgres }, { openDocument }] = await Promise.all([
    import('../../src/postgres/sync.ts'),
    import('../../src/postgres/shared-files.ts'),
  ])
  const connection = openSyncPostgres(settings, { applicationName: 'tocsin agent' })
  return (name) => openDocument(connection, { name, ...options })
}
