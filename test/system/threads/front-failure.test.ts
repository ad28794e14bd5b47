import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { createFronts } from '../../../actors/main/fronts/fronts.ts'
import { logReports } from '../../../actors/wiring/log-reports.ts'
import { createSpawn } from '../../../actors/wiring/spawn.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { LoginThrottle } from '../../../src/http/auth.ts'
import { Tickets } from '../../../src/http/tickets.ts'
import { createProgressMemory } from '../../../src/journal/progress.ts'
import { sinceBootMs, systemClock } from '../../../src/kernel/clock.ts'
import { Supervisor } from '../../../src/kernel/supervision/supervisor.ts'
import { TurnScheduler } from '../../../src/kernel/turn-scheduler.ts'
import { openMeters } from '../../../src/telemetry/meters.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { freePort } from '../../harness/net/port.ts'
import { memoryLog } from '../../harness/system.ts'

const NO_STORE = { threads: 2 }

function status(port: number): Promise<number> {
  return new Promise((resolve) => {
    const req = http.request({ port, host: '127.0.0.1', path: '/healthz', agent: false }, (res) => {
      res.resume()
      resolve(res.statusCode ?? 0)
    })
    req.on('error', () => resolve(0))
    req.end()
  })
}

test('a front that fails closes its sockets, which would end the process, and serves again', async (t) => {
  const { config } = loadConfig({ file: configFile(folder(), { http: NO_STORE }), env: {} })
  const log = memoryLog()
  const scheduler = new TurnScheduler()
  const report = logReports(log)
  const meters = openMeters(() => Date.now())
  const ups: (() => void)[] = []
  const fronts = createFronts({
    threads: 2,
    spawn: createSpawn({ clock: systemClock, scheduler, report: report.cell }),
    scheduler,
    log,
    report,
    meters: meters.ingest,
    supervisor: () => supervisor,
    current: () => ({ settings: config, secrets: [] }),
  })
  fronts.serve({
    admin: [],
    publicRoutes: [],
    ready: async () => [],
    tickets: new Tickets(sinceBootMs),
    throttle: new LoginThrottle(sinceBootMs),
    tail: { join: () => assert.fail('nobody watches') },
  })
  const script = {
    script: new URL('../../../actors/worker.ts', import.meta.url),
    options: { execArgv: ['--disable-warning=ExperimentalWarning'] },
  }
  const [plan] = fronts.plans({ script, memory: { meters: meters.buffer, progress: createProgressMemory() } })
  assert.ok(plan)
  const supervisor: Supervisor = new Supervisor([{ ...plan, peers: [] }], systemClock, {
    threadDown() {},
    threadUp(name) {
      fronts.threadUp(name)
      for (const up of ups.splice(0)) up()
    },
  })
  t.after(() => fronts.close())
  await supervisor.start()
  const port = await freePort()
  await fronts.listen('127.0.0.1', port)
  assert.equal(await status(port), 200)
  const again = new Promise<void>((resolve) => ups.push(resolve))
  // No actor has this name: an error that nothing on that thread catches.
  plan.link.outlet('nobody', 1).tell({ kind: 'stray' })
  await again
  while ((await status(port)) !== 200);
  assert.equal(supervisor.states()[0]?.restarts, 1)
})
