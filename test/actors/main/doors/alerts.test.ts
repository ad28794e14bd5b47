import assert from 'node:assert/strict'
import test from 'node:test'
import { AlertRig, MINUTE, SECOND } from './alert-rig.ts'

const [A, B, AMTOOL] = ['10.0.0.1', '10.0.0.2', '10.0.0.9']
const DOWN = { labels: { alertname: 'Down' } }
const FIRES = { ...DOWN, forMs: 4 * MINUTE }
const OVER = { ...DOWN, forMs: 0 }

const scenario = (name: string, run: (rig: AlertRig) => Promise<void>) => test(name, () => run(new AlertRig()))

scenario(
  'an alert that is sent each minute for an hour is one incident, and one when its sender resolves it',
  async (rig) => {
    await rig.eachMinute(60, (minute) => rig.post(A, { ...FIRES, annotations: { value: String(minute) } }))
    assert.deepEqual(rig.news(), ['Down firing'])
    await rig.post(A, OVER)
    assert.deepEqual(rig.news(), ['Down resolved'])
    await rig.eachMinute(15, () => rig.post(A, OVER))
    assert.deepEqual(rig.news(), [])
  },
)

scenario(
  'of a pair of senders the one that resolves first, again and again, does not resolve what the other sees',
  async (rig) => {
    await rig.post(A, FIRES)
    await rig.post(B, FIRES)
    await rig.eachMinute(14, async () => {
      await rig.post(A, OVER)
      await rig.post(B, FIRES)
    })
    assert.deepEqual(rig.news(), ['Down firing'])
    await rig.post(B, OVER)
    assert.deepEqual(rig.news(), ['Down resolved'])
    await rig.post(B, FIRES)
    await rig.post(A, OVER)
    await rig.pass(MINUTE)
    assert.deepEqual(rig.news(), ['Down firing'])
  },
)

scenario('the claim of a sender that is cut off ends, and its return resolves nothing of the other', async (rig) => {
  await rig.post(A, FIRES)
  await rig.eachMinute(6, () => rig.post(B, FIRES))
  await rig.post(A, OVER)
  await rig.pass(SECOND)
  assert.deepEqual(rig.news(), ['Down firing'])
})

scenario(
  'an alert keeps few claims, however many senders say after a start that it is over, and others that it fires',
  async (rig) => {
    await rig.post(A, FIRES)
    await rig.crash()
    for (let nth = 0; nth < 50; nth++) await rig.post(`10.1.0.${nth}`, OVER)
    const [loaded] = rig.alerts.table.entries.values()
    assert.equal(loaded?.claims.length, 5)
    for (let nth = 0; nth < 50; nth++) await rig.post(`10.2.0.${nth}`, FIRES)
    const [entry] = rig.alerts.table.entries.values()
    assert.equal(entry?.claims.length, 4)
  },
)

scenario('a sender without a claim ends all claims', async (rig) => {
  await rig.post(A, FIRES)
  await rig.post(B, FIRES)
  await rig.post(AMTOOL, OVER)
  assert.deepEqual(rig.news(), ['Down firing', 'Down resolved'])
})

scenario(
  'after a start a sender that repeats the resolution of earlier does not resolve what began since',
  async (rig) => {
    await rig.post(A, FIRES)
    await rig.post(B, FIRES)
    const over = { ...DOWN, endsAt: new Date(rig.clock.now()).toISOString() }
    await rig.post(A, over)
    await rig.post(B, over)
    await rig.pass(MINUTE)
    await rig.crash()
    const startsAt = new Date(rig.clock.now()).toISOString()
    await rig.eachMinute(10, async () => {
      await rig.post(A, { ...FIRES, startsAt })
      await rig.post(B, over)
    })
    assert.deepEqual(rig.news(), ['Down firing', 'Down resolved', 'Down firing'])
    await rig.post(B, { ...DOWN, startsAt, forMs: 0 })
    assert.deepEqual(rig.news(), ['Down resolved'])
  },
)

scenario(
  'a time that is written with more than four digits in UTC is refused, so a start can read all',
  async (rig) => {
    for (const startsAt of ['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'])
      await assert.rejects(rig.post(A, { ...DOWN, startsAt }), /startsAt of alert 0 is no time/)
    await rig.post(A, { ...DOWN, startsAt: '9999-12-31T23:59:59Z' })
    await rig.crash()
    assert.deepEqual(rig.fires, ['Down'])
  },
)

scenario('an alert that is not repeated ends by timeout, with the time of the last report', async (rig) => {
  const reportedAt = new Date(rig.clock.now()).toISOString()
  await rig.post(A, FIRES)
  await rig.pass(4 * MINUTE - SECOND)
  assert.deepEqual(rig.news(), ['Down firing'])
  await rig.pass(2 * SECOND)
  assert.deepEqual(rig.news(), ['Down resolved'])
  const { payload } = rig.incidents.at(-1) ?? assert.fail()
  assert.equal(payload.ended_by, 'timeout')
  assert.equal(payload.last_reported_at, reportedAt)
})

scenario('an alert without endsAt fires for resolve_timeout, and a shorter end replaces that guess', async (rig) => {
  await rig.post(A, DOWN)
  await rig.pass(MINUTE)
  await rig.post(A, { ...DOWN, forMs: MINUTE })
  await rig.pass(MINUTE + 2 * SECOND)
  assert.deepEqual(rig.news(), ['Down firing', 'Down resolved'])
  await rig.post(A, { ...DOWN, forMs: 10 * MINUTE })
  await rig.post(A, { ...DOWN, forMs: MINUTE })
  await rig.pass(9 * MINUTE)
  assert.deepEqual(rig.news(), ['Down firing'])
})

scenario('a resolution of what never fired brings nothing, and is counted', async (rig) => {
  await rig.post(A, OVER)
  assert.deepEqual(rig.news(), [])
  assert.equal(rig.unknownResolved, 1)
})

scenario('a person resolves: re-sends bring nothing for resolve_timeout, then the alert fires again', async (rig) => {
  await rig.post(A, FIRES)
  rig.personResolves(DOWN.labels)
  await rig.eachMinute(5, () => rig.post(A, FIRES))
  assert.deepEqual(rig.news(), ['Down firing'])
  await rig.post(A, FIRES)
  assert.deepEqual(rig.news(), ['Down firing'])
})

scenario('a refused commit is news again, for a firing alert and for a resolved one', async (rig) => {
  rig.refuses = true
  await assert.rejects(rig.post(A, FIRES), { code: 'ingest_full' })
  rig.refuses = false
  await rig.post(A, FIRES)
  rig.refuses = true
  await assert.rejects(rig.post(A, OVER), { code: 'ingest_full' })
  assert.deepEqual(rig.fires, ['Down'])
  rig.refuses = false
  await rig.post(A, OVER)
  assert.deepEqual(rig.news(), ['Down firing', 'Down resolved'])
})

scenario('while commits are refused no claim ends, and for as long as it was valid after that', async (rig) => {
  await rig.post(A, FIRES)
  rig.refuses = true
  await rig.eachMinute(10, () => assert.rejects(rig.post(A, { labels: { alertname: 'New' } })))
  rig.refuses = false
  await rig.pass(2 * MINUTE)
  assert.deepEqual(rig.news(), ['Down firing'])
  await rig.pass(MINUTE + 2 * SECOND)
  assert.deepEqual(rig.news(), ['Down resolved'])
})

scenario('two requests with one alert share its commit', async (rig) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  rig.gate = promise
  const both = [rig.post(A, FIRES), rig.post(B, FIRES)]
  resolve()
  await Promise.all(both)
  assert.deepEqual(rig.news(), ['Down firing'])
  const [entry] = [...rig.alerts.table.entries.values()]
  assert.equal(entry?.claims.length, 2)
})

scenario('invalid alerts are named and the others committed; a bad time refuses all', async (rig) => {
  const invalid = await rig.post(A, { labels: { a: '' } }, FIRES, { labels: { alertname: 7 as never } })
  assert.deepEqual(
    invalid.map(({ at }) => at),
    [0, 2],
  )
  assert.deepEqual(rig.news(), ['Down firing'])
  await assert.rejects(rig.post(A, { labels: { alertname: 'X' } }, { labels: { alertname: 'Y' }, startsAt: 'noon' }))
  assert.deepEqual(rig.news(), [])
})

scenario('the changes of one request are committed loudest first', async (rig) => {
  const of = (alertname: string, severity: string) => ({ labels: { alertname, severity }, forMs: MINUTE })
  await rig.post(A, of('Slow', 'warning'), of('Dead', 'critical'), of('Note', 'info'))
  assert.deepEqual(rig.news(), ['Dead firing', 'Slow firing', 'Note firing'])
})

scenario('above max_alerts new alerts are refused, and known ones go on', async (rig) => {
  rig.limits.maxAlerts = 1
  await rig.post(A, FIRES)
  await assert.rejects(rig.post(A, FIRES, { labels: { alertname: 'Second' } }), { code: 'alerts_full' })
  await rig.post(A, OVER)
  await rig.post(A, { labels: { alertname: 'Second' } })
  assert.deepEqual(rig.news(), ['Down firing', 'Down resolved', 'Second firing'])
})

scenario('zero times of any form are absent ones', async (rig) => {
  const zero = '0001-01-01T00:00:00.000Z'
  await rig.post(A, { ...DOWN, startsAt: zero, endsAt: zero })
  assert.deepEqual(rig.news(), ['Down firing'])
})

scenario('after kill -9 an alert fires until its senders had the time to say it again', async (rig) => {
  await rig.post(A, FIRES)
  await rig.crash(80 * MINUTE)
  await rig.pass(14 * MINUTE)
  assert.deepEqual(rig.news(), ['Down firing'])
  await rig.post(A, FIRES)
  await rig.pass(3 * MINUTE)
  assert.deepEqual(rig.news(), [])
  await rig.crash()
  await rig.pass(16 * MINUTE)
  assert.deepEqual(rig.news(), ['Down resolved'])
  assert.equal(rig.incidents.at(-1)?.payload.ended_by, 'timeout')
})

scenario('what its only sender resolves after kill -9 is over once others had time to object', async (rig) => {
  await rig.post(A, FIRES)
  await rig.crash()
  await rig.post(A, OVER)
  await rig.pass(2 * MINUTE + SECOND)
  assert.deepEqual(rig.news(), ['Down firing', 'Down resolved'])
  assert.equal(rig.incidents.at(-1)?.payload.ended_by, undefined)
})

scenario(
  'after kill -9 one of a pair repeats its resolution, and the alert that the other sees goes on',
  async (rig) => {
    await rig.post(A, FIRES)
    await rig.post(B, FIRES)
    await rig.post(A, OVER)
    await rig.crash()
    for (let minute = 0; minute < 14; minute++) {
      await rig.post(A, OVER)
      await rig.pass(30 * SECOND)
      await rig.post(B, FIRES)
      await rig.pass(30 * SECOND)
    }
    assert.deepEqual(rig.news(), ['Down firing'])
  },
)

scenario('a re-sent alert that fires is reported as such, news is not', async (rig) => {
  await rig.post(A, FIRES)
  assert.deepEqual(rig.again, [])
  await rig.post(A, FIRES)
  assert.deepEqual(rig.again, ['Down'])
})

scenario('a door that is off for a while ends no alert, and all have time to come again when it is on', async (rig) => {
  await rig.post(A, FIRES)
  rig.limits.enable = false
  await rig.pass(60 * MINUTE)
  rig.limits.enable = true
  await rig.pass(14 * MINUTE)
  assert.deepEqual(rig.news(), ['Down firing'])
  await rig.post(A, FIRES)
  await rig.pass(3 * MINUTE)
  assert.deepEqual([rig.news(), rig.fires], [[], ['Down']])
  await rig.pass(2 * MINUTE)
  assert.deepEqual(rig.news(), ['Down resolved'])
})
