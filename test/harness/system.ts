import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { REHEARSAL_SCRIPT, WORKER_SCRIPT } from '../../actors/scripts.ts'
import { type System, startSystem } from '../../actors/system.ts'
import { isFresh } from '../../src/bundle/start.js'
import { loadConfig, reportOf } from '../../src/config/load.ts'
import { secretValues } from '../../src/config/secrets.ts'
import type { Log } from '../../src/telemetry/log.ts'

/** Threads start from the bundle when it is as new as the sources, as those of the program do. */
const ROOT = join(import.meta.dirname, '../../')
const BUNDLE = join(ROOT, 'dist/service/')
if (isFresh(ROOT, BUNDLE)) {
  WORKER_SCRIPT.script = pathToFileURL(join(BUNDLE, 'thread.js'))
  REHEARSAL_SCRIPT.script = pathToFileURL(join(BUNDLE, 'rehearsal.js'))
}

interface LogLine {
  readonly level: keyof Log
  readonly message: string
  readonly [field: string]: unknown
}

/** A log that keeps its lines. */
export function memoryLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: keyof Log) => (fields: object, message: string) => void lines.push({ ...fields, level, message })
  return { lines, error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

export interface Running extends System {
  readonly url: string
  readonly log: ReturnType<typeof memoryLog>
  reloadFrom(file: string): Promise<void>
}

/** Starts the whole system in this process; it is stopped when the test ends. */
export async function startTestSystem(t: TestContext, file: string): Promise<Running> {
  let loaded = loadConfig({ file, env: {} })
  const { config } = loaded
  const log = memoryLog()
  const system = await startSystem(config, {
    log,
    secrets: secretValues(config),
    shown: () => reportOf(loaded),
    propose: (sections) => loaded.propose(sections),
  })
  t.after(() => system.stop())
  const reloadFrom = async (changed: string) => {
    const next = loadConfig({ file: changed, env: {} })
    await system.reload(next.config, secretValues(next.config))
    loaded = next
  }
  return { ...system, url: `http://127.0.0.1:${system.port}`, log, reloadFrom }
}
