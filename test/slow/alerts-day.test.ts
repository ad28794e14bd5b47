import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { AlertRig, MINUTE } from '../actors/main/doors/alert-rig.ts'

const ALERTS = 10_000
const CHANGES = 500
const REQUEST = 256

test('a day of 10,000 alerts that are sent each minute: the incidents of the changes, and no other', async (t) => {
  const minutes = Number(process.env.DAY_MINUTES ?? 15)
  const rig = new AlertRig()
  rig.limits.maxAlerts = 50_000
  const fires = Array.from({ length: ALERTS }, () => true)
  const labelsOf = (nth: number) => ({
    alertname: `Disk${nth}`,
    severity: 'warning',
    instance: `db-${nth}.example.net:9100`,
    job: 'node',
  })
  let changes = 0
  let busyMs = 0
  global.gc?.()
  const before = process.memoryUsage().heapUsed
  for (let minute = 0; minute < minutes; minute++) {
    const due = Math.floor((CHANGES * (minute + 1)) / minutes) - changes
    for (let change = 0; change < due && minute > 0; change++) {
      const nth = (changes * 7_919) % ALERTS
      fires[nth] = !fires[nth]
      changes++
    }
    for (let first = 0; first < ALERTS; first += REQUEST) {
      const now = rig.clock.now()
      const body = fires.slice(first, first + REQUEST).map((isFiring, at) => ({
        labels: labelsOf(first + at),
        annotations: { summary: `${minute} of the disk` },
        startsAt: new Date(now - MINUTE).toISOString(),
        endsAt: new Date(isFiring ? now + 4 * MINUTE : now).toISOString(),
        generatorURL: 'http://prometheus-a:9090/graph?g0.expr=disk_free',
      }))
      const text = JSON.stringify(body)
      const since = performance.now()
      await rig.alerts.post(JSON.parse(text), '10.0.0.1')
      busyMs += performance.now() - since
    }
    const since = performance.now()
    rig.clock.advance(MINUTE)
    await turn()
    busyMs += performance.now() - since
  }
  global.gc?.()
  const mib = (process.memoryUsage().heapUsed - before) / 1_048_576
  t.diagnostic(
    `${(busyMs / (minutes * 60)).toFixed(2)} ms of main for a second; ${mib.toFixed(1)} MiB with all incidents kept by the test`,
  )
  assert.equal(rig.incidents.length, ALERTS + changes)
  assert.equal(rig.fires.length, fires.filter(Boolean).length)
})
