import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../config/load.ts'
import { UsageError } from '../command.ts'
import { CONFIG, defineCommand } from '../define-command.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'copy the incidents of a stopped service into PostgreSQL',
  about: `Copies everything that a stopped service keeps in storage.file.data_dir into the database of storage.postgres.url: incidents, deliveries,
timers, silences, idempotency keys, and what its journal holds. All or nothing; the files stay as they are. The tables must be new.
Then start the replicas with storage.type: postgres.
Exit codes: 0 copied, 1 nothing was copied, 2 the command line is wrong.`,
  options: {
    to: { value: 'postgres', description: 'the only kind of storage that can be copied to' },
    config: CONFIG,
  },
  async run({ to, config: file }) {
    if (to !== 'postgres') throw new UsageError('tocsin migrate needs --to postgres')
    const { storage } = loadConfig({ file, env: process.env }).config
    if (storage.type !== 'postgres')
      throw new UsageError(
        'the configuration has storage.type: file; set storage.type: postgres and storage.postgres.url',
      )
    const { dataDir, postgres } = storage
    if (!existsSync(join(dataDir, 'tocsin.db')))
      throw new UsageError(
        `there is no tocsin.db in ${dataDir}: set storage.file.data_dir to the directory of the stopped service`,
      )
    const { copyService } = await import('./copy-service.ts')
    copyService(dataDir, postgres, (line) => console.log(line))
    return 0
  },
})
