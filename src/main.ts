import { parseArgs } from 'node:util'
import { type System, startSystem } from '../actors/system.ts'
import { ConfigError } from './config/fault.ts'
import { type Loaded, loadConfig } from './config/load.ts'
import { secretValues } from './config/secrets.ts'
import { createLog, type Log } from './telemetry/log.ts'

/** `npm start -- --config FILE`: loads the configuration, runs the system until SIGTERM or SIGINT; SIGHUP reloads. */
const { values } = parseArgs({ options: { config: { type: 'string' } } })
await serve(values.config).catch(giveUp)

export async function serve(file: string | undefined): Promise<void> {
  const loaded = loadConfig({ file, env: process.env })
  const secrets = secretValues(loaded.config)
  const log = createLog({ level: loaded.config.log.level, secrets })
  warn(log, loaded)
  const system = await startSystem(loaded.config, { log, secrets })
  process.on('SIGHUP', () => void reload(file, system, log))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(system, log, signal))
}

/** A configuration with faults changes nothing. */
async function reload(file: string | undefined, system: System, log: Log): Promise<void> {
  try {
    const loaded = loadConfig({ file, env: process.env })
    warn(log, loaded)
    await system.reload(loaded.config, secretValues(loaded.config))
    log.info({}, 'reloaded')
  } catch (error) {
    log.error(
      { error: error instanceof Error ? error.message : String(error) },
      'the reload is refused; nothing changed',
    )
  }
}

async function stop(system: System, log: Log, signal: string): Promise<void> {
  log.info({ signal }, 'shutting down')
  await system.stop()
  log.info({}, 'stopped')
  process.exit(0)
}

function warn(log: Log, { warnings }: Loaded): void {
  for (const warning of warnings) log.warn({}, warning)
}

function giveUp(error: unknown): never {
  console.error(error instanceof ConfigError ? error.message : `tocsin cannot start: ${String(error)}`)
  process.exit(1)
}
