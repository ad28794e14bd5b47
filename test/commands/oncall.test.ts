import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { check } from '../../src/commands/check.ts'
import { UsageError } from '../../src/commands/command.ts'
import { oncall } from '../../src/commands/oncall/command.ts'
import { folder } from '../harness/config-file.ts'

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
