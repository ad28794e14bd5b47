import { parseArgs } from 'node:util'
import { type System, startSystem } from '../../actors/system.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { secretValues } from '../config/secrets.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import type { Command } from './command.ts'

export const serve: Command = {
  summary: 'run the service',
  usage: `tocsin serve [--config FILE]

Runs until SIGTERM or SIGINT, which finish what is under way within 8 s. SIGHUP loads the configuration again; one with faults changes nothing.
Without --config: the file that CONFIG_PATH names, then config/config.yaml, then the embedded defaults.`,
  async run(args) {
    const { values } = parseArgs({ args: [...args], options: { config: { type: 'string' } } })
    const load = () => loadConfig({ file: values.config, env: process.env })
    const loaded = load()
    const secrets = secretValues(loaded.config)
    const log = createLog({ level: loaded.config.log.level, secrets })
    warn(log, loaded)
    const system = await startSystem(loaded.config, { log, secrets })
    process.on('SIGHUP', () => void reload(load, system, log))
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(system, log, signal))
    return 0
  },
}

async function reload(load: () => Loaded, system: System, log: Log): Promise<void> {
  try {
    const loaded = load()
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
