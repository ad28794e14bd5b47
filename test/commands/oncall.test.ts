import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { check } from '../../src/commands/check.ts'
import { UsageError } from '../../src/commands/command.ts'
import { oncall } from '../../src/commands/oncall/command.ts'
import { field } from '../../src/simulator/exchange.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/net/requests.ts'
import { startStandIn } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

const FILE = `people: { ada: { name: Ada Lovelace }, ben: , cleo: }
oncall:
  schedules:
    primary:
      time_zone: Europe/Berlin
      layers: [{ name: weeks, start: 2026-01-05, at: "09:00", every: 1 week, members: { 2026-01-05: [ada, ben] } }]
      overrides: [{ from: 2026-01-06, until: 2026-01-07, person: cleo, by: Ada, reason: dentist }]
`
const EDITED = FILE.replace('[ada, ben] }', '[ada, ben], 2026-01-19: [cleo, ada] }')

/** Runs the command with files for NEW and OLD; returns its exit code and what it printed. */
async function run(t: TestContext, words: readonly string[], [now, before = now] = [FILE, FILE]) {
  const lines: string[] = []
  const printed = t.mock.method(console, 'log', (text: string) => lines.push(text))
  const path = folder()
  for (const [name, text] of Object.entries({ now, before })) writeFileSync(join(path, name), text)
  const code = await oncall.run([
    '--config',
    join(path, 'now'),
    ...words.map((word) => word.replace('OLD', join(path, 'before'))),
  ])
  printed.mock.restore()
  return { code, lines: lines.join('\n').split('\n') }
}
const ZONES = `time zone data ${process.versions.tz}`

test('oncall says who is on call and why, who is next, and the version of the zone data', async (t) => {
  assert.deepEqual(await run(t, ['--at', '2026-01-06T12:00']), {
    code: 0,
    lines: [
      'primary (Europe/Berlin)',
      '  2026-01-06 00:00  2026-01-07 00:00  cleo                override 1 of the file by Ada: dentist',
      '  2026-01-07 00:00  2026-01-12 09:00  Ada Lovelace (ada)  layer weeks',
      '  no gap in 30 days',
      ZONES,
    ],
  })
})

test('oncall lists the shifts of a time, or of one person, also as JSON', async (t) => {
  const shown = async (...words: string[]) => (await run(t, ['--at', '2026-01-10T00:00Z', ...words])).lines.slice(1, -2)
  assert.deepEqual(
    (await shown('--for', '14d')).map((row) => row.slice(2, 42).trim()),
    [
      '2026-01-07 00:00  2026-01-12 09:00  Ada',
      '2026-01-12 09:00  2026-01-19 09:00  ben',
      '2026-01-19 09:00  2026-01-26 09:00  Ada',
    ],
  )
  assert.equal((await shown('--person', 'ben')).length, 2)
  const { lines } = await run(t, ['--at', '2026-01-13', '--json'])
  const { zone_data, schedules } = JSON.parse(lines[0] ?? '')
  assert.equal(zone_data, process.versions.tz)
  assert.deepEqual(schedules[0].shifts[0], {
    ...{ from: '2026-01-12T08:00:00.000Z', until: '2026-01-19T08:00:00.000Z', person: 'ben', name: 'ben' },
    because: 'layer weeks',
    local: ['2026-01-12 09:00', '2026-01-19 09:00'],
  })
})

test('oncall lists what an edit of the file changes, and refuses a change of what runs or is over', async (t) => {
  const words = ['--against', 'OLD', '--for', '10d', '--at']
  const coming = await run(t, [...words, '2026-01-13'], [EDITED, FILE])
  assert.deepEqual(coming, {
    code: 0,
    lines: [
      'schedule  from              until             was  is',
      'primary   2026-01-19 09:00  2026-01-23 00:00  ada  cleo',
      ZONES,
    ],
  })
  const running = await run(t, [...words, '2026-01-20'], [EDITED, FILE])
  assert.equal(running.code, 1)
  assert.match(running.lines[1] ?? '', /ada +cleo +PAST OR RUNNING$/)
  assert.equal((await run(t, [...words, '2026-01-20', '--allow'], [EDITED, FILE])).code, 0)
  assert.deepEqual((await run(t, [...words, '2026-01-20'])).lines, ['no shift changes', ZONES])
  assert.deepEqual((await run(t, [...words, '2026-01-20'], [FILE, 'name: x\n'])).code, 0, 'a new schedule has no past')
})

test('oncall refuses times and people that are none', async (t) => {
  for (const words of [
    ['--at', 'noon'],
    ['--for', 'long'],
    ['--person', 'dora'],
  ])
    await assert.rejects(run(t, words), UsageError)
})

test('check fails with the line of a schedule that has a gap', async (t) => {
  t.mock.method(console, 'log', () => {})
  const file = join(folder(), 'config.yaml')
  writeFileSync(file, FILE.replace('every', 'until: 2026-02-01, every'))
  await assert.rejects(
    check.run(['--config', file]),
    /config\.yaml:4: oncall\.schedules\.primary: nobody is on call from/,
  )
})

/** Runs the command against a service; returns its exit code and what it printed. */
async function ask(t: TestContext, url: string, words: readonly string[]) {
  const lines: string[] = []
  const printed = t.mock.method(console, 'log', (text: string) => lines.push(text))
  const code = await oncall.run([...words, '--url', url])
  printed.mock.restore()
  return { code, lines: lines.join('\n').split('\n') }
}

test('an override is made and ended by the command, and --url shows it', async (t) => {
  const schedules = { primary: { layers: [{ name: 'all', start: '2026-01-05', every: '1 week', members: ['ada'] }] } }
  const file = configFile(folder(), { people: { ada: { name: 'Ada' }, ben: {} }, oncall: { schedules } })
  const { url } = await startTestSystem(t, file)
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const words = ['override', 'primary', '--person', 'ben', '--until', until, '--reason', 'dentist', '--by', 'Ada']
  const made = await ask(t, url, words)
  assert.match(made.lines[0] ?? '', /^override 1: ben is on call for primary from .*Z to .*Z$/)
  const shown = await ask(t, url, [])
  assert.equal(shown.lines[0], 'primary (UTC)')
  assert.match(shown.lines[1] ?? '', /^ {2}\S+ \S+ {2}\S+ \S+ {2}ben {8}override 1 by Ada: dentist$/)
  assert.match(shown.lines[2] ?? '', /Ada \(ada\) {2}layer all$/)
  assert.equal(shown.lines[3], '  no gap in 30 days')
  const ended = await ask(t, url, ['override', 'end', '1', '--by', 'Ada'])
  assert.deepEqual(ended, { code: 0, lines: ['override 1 of primary has ended'] })
  await assert.rejects(ask(t, url, ['override', 'end', 'all']), UsageError)
  await assert.rejects(ask(t, url, ['override', 'primary', '--person', 'ben']), UsageError)
  await assert.rejects(ask(t, url, ['cover']), UsageError)
})

test('test sends a message by each way of a person, and says which arrived', async (t) => {
  const chat = await startStandIn(t, 'chatws')
  const calls = await startStandIn(t, 'gateway')
  const pager = await startStandIn(t, 'pagerduty')
  calls.script = () => ({ status: 400, body: 'no such number' })
  const ways = [
    { chatws: 'U0ADA00001' },
    { gateway: 'phone', to: '+4915112345678' },
    { provider: 'pagerduty', routing_key: 'key-of-ada' },
  ]
  const file = configFile(folder(), {
    alert: { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } },
    people: { ada: { name: 'Ada', ways }, ben: {} },
    oncall: {
      ...{ enable: true, provider: 'pagerduty', pagerduty: { routing_key: 'k', api_url: pager.url } },
      gateways: { phone: { url: `${calls.url}/tocsin`, secret: 'secret-of-the-gateway' } },
      escalations: { office: { steps: [{ notify: ['person:ada'] }] } },
    },
  })
  const { url } = await startTestSystem(t, file)
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  const { code, lines } = await ask(t, url, ['test', 'ada'])
  assert.equal(code, 1)
  assert.match(lines[0] ?? '', /^1 +chatws +arrived/)
  assert.match(lines[1] ?? '', /^2 +gateway:phone +FAILED .*400/)
  assert.match(lines[2] ?? '', /^3 +provider +arrived/)
  assert.equal(field(chat.requests[0]?.json, 'channel'), 'U0ADA00001')
  assert.match(chat.requests[0]?.body ?? '', /Tocsin test message/)
  assert.match(
    calls.requests[0]?.body ?? '',
    /"kind":"test","to":"\+4915112345678","text":"Tocsin test message for Ada/,
  )
  assert.doesNotMatch(calls.requests[0]?.body ?? '', /callback_url|ack_url/)
  assert.deepEqual(
    pager.requests.map(({ json }) => [field(json, 'event_action'), field(json, 'routing_key')]),
    [
      ['trigger', 'key-of-ada'],
      ['resolve', 'key-of-ada'],
    ],
  )
  for (const person of ['ben', 'dora']) await assert.rejects(ask(t, url, ['test', person]), UsageError)
})
