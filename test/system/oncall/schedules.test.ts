import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { OncallOverride, OncallOverview, OncallShiftList } from '../../../src/api/oncall/schedules.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, operate } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'

const DAY_MS = 86_400_000
const PEOPLE = { ada: { name: 'Ada Lovelace' }, ben: { name: 'Ben' }, cleo: {} }
const SCHEDULES = {
  primary: {
    time_zone: 'Europe/Berlin',
    layers: [{ start: '2026-01-05', at: '09:00', every: '1 week', members: ['ada'] }],
  },
  lead: { gaps: 'allowed', layers: [{ start: '2026-01-05', every: '1 week', members: ['cleo', 'nobody'] }] },
}

function start(t: TestContext, oncall: object = {}) {
  return startTestSystem(t, configFile(folder(), { people: PEOPLE, oncall: { schedules: SCHEDULES, ...oncall } }))
}

const PATH = '/api/admin/oncall'
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
const WANTED = { schedule: 'primary', person: 'ben', reason: 'dentist', by: 'Ben' }

/** Makes an override; returns the status, and its record or the error. */
async function make(url: string, given: object) {
  const answer = await operate(`${url}${PATH}/overrides`, { ...WANTED, ...given })
  const json = (await answer.json()) as OncallOverride & { readonly error: string }
  return { status: answer.status, ...json }
}

test('overrides', async (t) => {
  const { url } = await start(t)

  await t.test('an override that is too long, too old or of unknown people is refused in words', async () => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ until: inDays(36) }, /at most oncall\.overrides\.max/],
      [{ until: inDays(-1) }, /until must be ahead/],
      [{ from: inDays(-1), until: inDays(1) }, /at most one hour ago/],
      [{ until: inDays(1), person: 'dora' }, /person must be one of ada, ben, cleo, nobody/],
      [{ until: inDays(1), schedule: 'nights' }, /schedule must be one of primary, lead/],
      [{ until: inDays(1), instead_of: 'ben' }, /another person/],
      [{ until: inDays(1), reason: ' ' }, /reason must be a text/],
      [{ until: inDays(1), because: 'x' }, /"because" is not known/],
      [{ until: 'tomorrow' }, /until must be a time/],
    ]
    for (const [given, message] of cases) {
      const { status, error } = await make(url, given)
      assert.equal(status, 400, JSON.stringify(given))
      assert.match(error, message)
    }
    assert.deepEqual(await admin(url, `${PATH}/overrides`), { overrides: [] })
  })

  await t.test('an override puts another person on call until it is ended, and stays in the record', async () => {
    const before = await admin<OncallOverview>(url, PATH)
    assert.deepEqual(
      before.schedules.map(({ name, now, gaps }) => [name, now.person, gaps]),
      [
        ['primary', 'ada', 'forbidden'],
        ['lead', before.schedules[1]?.now.person, 'allowed'],
      ],
    )
    const made = await make(url, { until: inDays(1) })
    assert.deepEqual([made.status, made.name, made.ended_at], [201, 'Ben', null])
    const during = await admin<OncallOverview>(url, PATH)
    assert.deepEqual([during.schedules[0]?.now.name, during.schedules[0]?.next?.name], ['Ben', 'Ada Lovelace'])
    const ended = await operate(`${url}${PATH}/overrides/${made.id}?by=Cleo`, undefined, 'DELETE')
    assert.equal(((await ended.json()) as OncallOverride).ended_by, 'Cleo')
    assert.deepEqual(await admin(url, `${PATH}/overrides`), { overrides: [] })
    const { shifts } = await admin<OncallShiftList>(url, `${PATH}/schedules/primary/shifts`)
    assert.equal(shifts[0]?.name, 'Ada Lovelace')
    const past = await admin<OncallShiftList>(url, `${PATH}/schedules/primary/shifts?from=${inDays(-1)}`)
    assert.ok(past.shifts.some(({ person, recorded }) => person === 'ben' && recorded))
  })

  await t.test('the metrics say that somebody is on call, and for how long', async () => {
    await make(url, { person: 'nobody', from: inDays(1), until: inDays(2) })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    assert.match(metrics, /^tocsin_oncall_covered\{schedule="primary"\} 1$/m)
    assert.match(metrics, /^tocsin_oncall_gap_in_seconds\{schedule="primary"\} 8\d{4}/m)
    assert.match(metrics, /^tocsin_oncall_overrides 1$/m)
    assert.doesNotMatch(metrics, /schedule="lead"/)
  })

  await t.test('times of an override without a zone are those of its schedule', async () => {
    const [from, until] = [inDays(2).slice(0, 11), inDays(3).slice(0, 11)]
    const made = await make(url, { from: `${from}18:00`, until: `${until}09:00` })
    const local = (time: string) =>
      new Date(time).toLocaleTimeString('de-DE', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' })
    assert.deepEqual([local(made.from), local(made.until)], ['18:00', '09:00'])
  })
})

test('oncall.overrides.api: false leaves overrides to the file', async (t) => {
  const { url } = await start(t, { overrides: { api: false } })
  const { status, error } = await make(url, { until: inDays(1) })
  assert.equal(status, 400)
  assert.match(error, /configuration file/)
})

test('without schedules there is nothing to ask', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), { people: PEOPLE }))
  const { schedules, people } = await admin<OncallOverview>(url, PATH)
  assert.deepEqual([schedules, people], [[], []])
  assert.equal((await make(url, { until: inDays(1) })).status, 404)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.doesNotMatch(metrics, /^tocsin_oncall_(covered|overrides|gap)/m)
})

test('schedules that a reload brings are in use, and overrides outlive it', async (t) => {
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir, { people: PEOPLE }))
  const next = configFile(dir, { people: PEOPLE, oncall: { schedules: SCHEDULES } })
  await system.reloadFrom(next)
  const { id } = await make(system.url, { until: inDays(1) })
  await system.reloadFrom(configFile(dir, { people: PEOPLE, oncall: { schedules: { primary: SCHEDULES.primary } } }))
  const { schedules } = await admin<OncallOverview>(system.url, PATH)
  assert.deepEqual(
    schedules.map(({ now }) => [now.person, now.because]),
    [['ben', `override ${id} by Ben: dentist`]],
  )
})

test('a calendar has the shifts in UTC, and costs nothing while nothing changed', async (t) => {
  const { url } = await start(t)
  const { schedules, people } = await admin<OncallOverview>(url, PATH)
  const ofBen = people.find(({ key }) => key === 'ben')?.feed ?? ''
  const first = await fetch(url + (schedules[0]?.feed ?? ''))
  assert.equal(first.headers.get('content-type'), 'text/calendar; charset=utf-8')
  assert.equal(first.headers.get('cache-control'), 'private, max-age=900')
  const text = await first.text()
  assert.match(text, /^UID:primary-\d+@tocsin\r$/m)
  assert.match(text, /^DTSTART:\d{8}T0[78]0000Z\r$/m)
  assert.match(text, /^SUMMARY:Ada Lovelace: primary\r$/m)
  assert.doesNotMatch(await (await fetch(url + ofBen)).text(), /VEVENT/)
  const again = { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } }
  assert.equal((await fetch(url + schedules[0]?.feed, again)).status, 304)
  await make(url, { until: inDays(1) })
  assert.equal((await fetch(url + schedules[0]?.feed, again)).status, 200)
  assert.match(await (await fetch(url + ofBen)).text(), /DESCRIPTION:override 1 by Ben: dentist/)
})
