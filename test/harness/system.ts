import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { stringify } from 'yaml'
import { type System, startSystem } from '../../actors/system.ts'
import { loadConfig } from '../../src/config/load.ts'
import { reportOf } from '../../src/config/report.ts'
import { secretValues } from '../../src/config/secrets.ts'
import { startProvider } from '../../src/simulator/index.ts'
import type { Log } from '../../src/telemetry/log.ts'

export const SECRET = 'gateway-secret-of-the-tests'

/** Removed at the very end: what runs in them is stopped by then, whatever order a test ends it in. */
const folders: string[] = []
process.once('exit', () => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
})

/** A folder of its own. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-test-'))
  folders.push(dir)
  return dir
}

/** A destination's rate that never matters. */
export const FAST = { concurrency: 16, rate: { per_second: 100_000, burst: 100_000 } }

export interface Overrides {
  readonly alert?: object
  readonly [section: string]: unknown
}

/** Writes a configuration over quick retries, a free port and data in `dir`; returns its path. */
export function configFile(dir: string, overrides: Overrides = {}): string {
  const file = join(dir, 'config.yaml')
  const base = {
    host: '127.0.0.1',
    port: 0,
    gateway_secret: SECRET,
    delivery: {
      attempts: 1000,
      backoff: { initial: '20ms', max: '200ms' },
      timeout: '5s',
      circuit: { failures: 1000 },
    },
    storage: { file: { data_dir: join(dir, 'data'), max_incidents: 100_000 } },
    log: { level: 'error' },
  }
  writeFileSync(file, stringify({ ...base, ...overrides }))
  return file
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

/** The whole system in this process, stopped when the test ends. */
export async function startTestSystem(t: TestContext, file: string): Promise<Running> {
  let loaded = loadConfig({ file, env: {} })
  const { config } = loaded
  const log = memoryLog()
  const system = await startSystem(config, { log, secrets: secretValues(config), shown: () => reportOf(loaded) })
  t.after(() => system.stop())
  const reloadFrom = async (changed: string) => {
    const next = loadConfig({ file: changed, env: {} })
    await system.reload(next.config, secretValues(next.config))
    loaded = next
  }
  return { ...system, url: `http://127.0.0.1:${system.port}`, log, reloadFrom }
}

export function post(url: string, payload: unknown, headers: { [name: string]: string } = {}): Promise<Response> {
  return fetch(`${url}/api/incidents`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
}

export async function admin(url: string, path: string): Promise<unknown> {
  const answer = await fetch(url + path, { headers: { 'X-Gateway-Secret': SECRET } })
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Stand-ins for two channels and the `alert` section that leads to them. */
export async function twoChannels(t: TestContext) {
  const chat = await startProvider('chatws')
  const flow = await startProvider('officechat')
  t.after(() => Promise.all([chat.close(), flow.close()]))
  const alert = {
    chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST },
    officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, ...FAST },
  }
  return { chat, flow, alert }
}
