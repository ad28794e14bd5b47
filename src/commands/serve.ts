import { type System, startSystem } from '../../actors/system.ts'
import { type Loaded, loadConfig, reportOf } from '../config/load.ts'
import { secretValues } from '../config/secrets.ts'
import { shrinkHeap } from '../kernel/shrink-heap.ts'
import { createLog, type LiveLog, type Log } from '../telemetry/log.ts'
import { errorText } from '../text/error-text.ts'
import { CONFIG, defineCommand } from './define-command.ts'

export const serve = defineCommand({
  name: 'serve',
  summary: 'run the service',
  about: `Runs until SIGTERM or SIGINT; deliveries under way then end within 8 s. SIGHUP loads the configuration again; one with errors
changes nothing.`,
  options: { config: CONFIG },
  async run({ config: file }) {
    const load = () => loadConfig({ file, env: process.env })
    let loaded = load()
    const secrets = secretValues(loaded.config)
    const log = createLog({ level: loaded.config.log.level, secrets })
    warn(log, loaded)
    const starting = startSystem(loaded.config, {
      log,
      secrets,
      shown: () => reportOf(loaded),
      propose: (sections) => loaded.propose(sections),
    })
    // While the threads start.
    setImmediate(shrinkHeap)
    // A signal during the start waits for its end. A start that fails rejects `starting` below.
    const whenStarted = (act: (system: System) => Promise<void>) => () => void starting.then(act, () => {})
    process.on(
      'SIGHUP',
      whenStarted(async (system) => {
        loaded = (await reload(load, system, log)) ?? loaded
      }),
    )
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(
        signal,
        whenStarted((system) => stop(system, log, signal)),
      )
    await starting
    return 0
  },
})

/** Loads the configuration again; returns undefined when it is refused. New secrets are masked before they are used. */
async function reload(load: () => Loaded, system: System, log: LiveLog): Promise<Loaded | undefined> {
  try {
    const loaded = load()
    const secrets = secretValues(loaded.config)
    log.change({ secrets })
    warn(log, loaded)
    await system.reload(loaded.config, secrets)
    log.change({ level: loaded.config.log.level })
    log.info({}, 'the configuration was reloaded')
    return loaded
  } catch (error) {
    log.error(
      { error: errorText(error) },
      'the reload was refused: correct the configuration; the old one stays in use',
    )
    return undefined
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
