import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { parse } from 'yaml'
import { check } from '../../../src/commands/check.ts'
import { importFrom } from '../../../src/commands/import/command.ts'
import { runCommand } from '../../../src/commands/run-command.ts'
import { folder } from '../../harness/config-file.ts'
import { imported, MAIL } from './minutes.ts'

const FROM = '2026-12-01T00:00:00Z'
const UNTIL = '2026-12-08T00:00:00Z'
const ADA = { type: 'user', id: 'u1', username: 'ada@example.com' }
const BEN = { type: 'user', id: 'u2', username: 'ben@example.com' }

/** A rotation without an end, and its row in a timeline. */
const rotation = (id: string, participant: object) => ({
  ...{ id, name: id, startDate: '2026-01-05T08:00:00Z', type: 'weekly', length: 1, participants: [participant] },
})
const row = (id: string, recipient: object, more: object = {}) => ({
  ...{ id, periods: [{ startDate: FROM, endDate: UNTIL, type: 'default', recipient, ...more }] },
})

const SCHEDULE = {
  ...{ id: 's1', name: 'Ops_Team', timezone: 'Europe/Berlin', enabled: true, overrides: [] },
  rotations: [rotation('first', ADA), rotation('second', BEN)],
  timelines: [
    { startDate: FROM, endDate: UNTIL, finalTimeline: { rotations: [row('first', ADA), row('second', BEN)] } },
  ],
}
const USERS = [
  { id: 'u1', username: 'ada@example.com', fullName: 'Ada (Ops) {X}', timeZone: 'Europe/London' },
  { id: 'u2', username: 'ben@example.com', fullName: 'Ben', timeZone: null },
]
const rule = (timeAmount: number, recipient: object, more: object = {}) => ({
  ...{ condition: 'if-not-acked', notifyType: 'default', delay: { timeAmount, timeUnit: 'minutes' }, recipient },
  ...more,
})
const ESCALATION = {
  name: 'Ops escalation',
  rules: [
    rule(18, { type: 'schedule', id: 's1', name: 'Ops_Team' }, { condition: 'if-not-closed' }),
    rule(0, { type: 'schedule', id: 's1', name: 'Ops_Team' }),
    rule(1, BEN, { delay: { timeAmount: 1, timeUnit: 'hours' } }),
    rule(18, ADA),
    rule(25, { type: 'team', id: 't1', name: 'All of Ops' }, { notifyType: 'admins' }),
    rule(30, { type: 'schedule', id: 's1', name: 'Ops_Team' }, { notifyType: 'next' }),
  ],
  repeat: { waitInterval: 10, count: 3, resetRecipientStates: true, closeAlertAfterAll: true },
}
const EXPORT = { schedules: [SCHEDULE], escalations: [ESCALATION], users: USERS }

const written = (out: string) => parse(readFileSync(join(out, 'oncall.yaml'), 'utf8'))

test('rotations that overlap become schedules, which escalations name together; delays count from the step before', async (t) => {
  const { code, out, lines } = await imported(t, 'opsgenie', EXPORT)
  assert.equal(code, 0, lines.join('\n'))
  const { people, oncall } = written(out)
  const both = ['schedule:ops_team', 'schedule:ops_team-second']
  assert.deepEqual(oncall.escalations, {
    'ops-escalation': {
      steps: [
        { notify: both },
        { after: '18m', notify: [...both, 'person:ada'] },
        { after: '42m', notify: ['person:ben'] },
      ],
      ...{ repeat: 3, repeat_after: '10m' },
    },
  })
  assert.deepEqual(people, {
    ada: { name: 'Ada Ops X', time_zone: 'Europe/London', ways: [{ email: 'ada@example.com' }] },
    ben: { name: 'Ben', ways: [{ email: 'ben@example.com' }] },
  })
  assert.deepEqual(oncall.schedules['ops_team-second'], {
    time_zone: 'Europe/Berlin',
    layers: [{ name: 'second', start: '2026-01-05', at: '09:00', every: '1 week', members: ['ben'] }],
  })
  Object.assign(process.env, MAIL)
  assert.equal(await check.run(['--config', join(out, 'oncall.yaml')]), 0)
  assert.equal(readFileSync(join(out, 'report.txt'), 'utf8'), `${lines.slice(0, -1).join('\n')}\n`)
})

test('what has no counterpart in Opsgenie is named', async (t) => {
  const team = { type: 'team', id: 't1', name: 'All of Ops' }
  const forwarded = row('first', BEN, { type: 'forwarding', fromUser: 'ada@example.com' })
  const { code, lines } = await imported(t, 'opsgenie', {
    ...EXPORT,
    escalations: [ESCALATION, { name: 'Empty' }],
    schedules: [
      { ...SCHEDULE, timelines: [{ startDate: FROM, endDate: UNTIL, finalTimeline: { rotations: [forwarded] } }] },
      { ...SCHEDULE, id: 's2', name: 'Off', enabled: false },
      { ...SCHEDULE, id: 's3', name: 'Teams', rotations: [rotation('third', team)] },
    ],
  })
  assert.equal(code, 1)
  for (const line of [
    'ops_team: 0 of 10,080 minutes equal, 2026-12-01 01:00 to 2026-12-08 01:00',
    '  2026-12-01 01:00 - 2026-12-08 01:00: ada here, ben there',
    'schedule Ops_Team: the forwarding rule of ada@example.com has no counterpart: write an override',
    'schedule Ops_Team: second overlap other rotations: they are the schedule ops_team-second',
    'schedule Off: is disabled or has no rotation: left out',
    'schedule Teams: rotation third: the team All of Ops has no counterpart: nobody has its turns',
    'escalation Ops escalation: the rule after 18m for the schedule Ops_Team: here an acknowledgement stops it, too (if-not-closed)',
    'escalation Ops escalation: the rule after 25m for the team All of Ops (admins) has no counterpart: left out',
    'escalation Ops escalation: the rule after 30m for the schedule Ops_Team (next) has no counterpart: left out',
    'escalation Ops escalation: resetRecipientStates has no counterpart',
    'escalation Ops escalation: closeAlertAfterAll has no counterpart',
    'escalation Empty: no rule has a counterpart: left out',
  ])
    assert.ok(lines.includes(line), `${line}\n\n${lines.join('\n')}`)
})

test('what was rendered of a rotation that is not in the export is a difference', async (t) => {
  const rotations = [row('first', ADA), row('second', BEN), row('gone', BEN)]
  const timelines = [{ startDate: FROM, endDate: UNTIL, finalTimeline: { rotations } }]
  const { code, lines } = await imported(t, 'opsgenie', { ...EXPORT, schedules: [{ ...SCHEDULE, timelines }] })
  assert.deepEqual([code, lines[1]], [1, '  2026-12-01 01:00 - 2026-12-08 01:00: ada here, ada + ben there'])
})

test('a schedule with nothing to compare with is written, named, and no success', async (t) => {
  const given = { ...EXPORT, schedules: [{ ...SCHEDULE, rotations: [rotation('first', ADA)], timelines: [] }] }
  const { code, out, lines } = await imported(t, 'opsgenie', given)
  assert.deepEqual([code, Object.keys(written(out).oncall.schedules)], [1, ['ops_team']])
  assert.ok(lines.includes('ops_team: nothing to compare with: the export has no rendered time of it'))
  assert.equal((await imported(t, 'opsgenie', { schedules: [], escalations: [], users: [] })).code, 1)
})

test('a schedule with a gap there may have it here, too', async (t) => {
  const timeRestriction = { type: 'time-of-day', restriction: { startHour: 9, startMin: 0, endHour: 17, endMin: 30 } }
  const periods = [1, 2, 3, 4, 5, 6, 7].map((day) => ({
    ...{ startDate: `2026-12-0${day}T08:00:00.000Z`, endDate: `2026-12-0${day}T17:30:00+01:00`, type: 'historical' },
    flattenedRecipients: [ADA],
  }))
  const given = {
    ...{ ...SCHEDULE, rotations: [{ ...rotation('first', ADA), timeRestriction }] },
    timelines: [{ startDate: FROM, endDate: UNTIL, finalTimeline: { rotations: [{ id: 'first', periods }] } }],
  }
  const { code, out, lines } = await imported(t, 'opsgenie', { ...EXPORT, schedules: [given] })
  assert.equal(code, 0, lines.join('\n'))
  const { gaps, layers } = written(out).oncall.schedules.ops_team
  assert.deepEqual([gaps, layers[0].on], ['allowed', ['Mon-Sun 09:00-17:30']])
})

test('a file that is no export is refused with the place, and nothing is written', async (t) => {
  for (const [given, reason] of [
    ['{"schedules": [', /export\.json: cannot be read as an export of opsgenie/],
    [
      { ...EXPORT, schedules: [{ ...SCHEDULE, timezone: 'Mars/Base' }] },
      /is not a time zone.*\n.*schedules\[0\]\.timezone/,
    ],
    [{ data: [] }, /schedules/],
  ] as const) {
    const { code, out, lines } = await imported(t, 'opsgenie', given)
    assert.deepEqual([code, existsSync(out)], [1, false])
    assert.match(lines.join('\n'), reason)
  }
})

test('what the file has more of than it may is named, and no success', async (t) => {
  const { code, lines } = await imported(t, 'opsgenie', {
    ...EXPORT,
    escalations: [{ ...ESCALATION, repeat: { count: 20 } }],
  })
  assert.equal(code, 1)
  assert.match(
    lines.join('\n'),
    /to correct before it is used:\n.*oncall\.yaml:\d+: oncall\.escalations\.ops-escalation\.repeat: /,
  )
  const rotations = [{ ...rotation('first', ADA), length: 60 }]
  const long = await imported(t, 'opsgenie', { ...EXPORT, schedules: [{ ...SCHEDULE, rotations }] })
  assert.equal(long.code, 1)
  assert.match(long.lines[0] ?? '', /^ops_team: left out: .*must be hours, days, weeks or months/)
})

async function run(t: TestContext, ...args: string[]) {
  const printed: string[] = []
  for (const stream of ['log', 'error'] as const)
    t.mock.method(console, stream, (line: string) => void printed.push(line))
  const code = await runCommand(importFrom, args)
  t.mock.restoreAll()
  return { code, text: printed.join('\n') }
}

test('--from opsgenie needs its export and a new folder; ./opsgenie is a file of Alertmanager', async (t) => {
  const dir = folder()
  const out = join(dir, 'out')
  assert.match((await run(t, '--from', 'opsgenie', '--out', out)).text, /needs its export/)
  assert.deepEqual(await run(t, '--from', 'opsgenie', 'a', '--out', dir).then(({ code }) => code), 2)
  const file = join(dir, 'opsgenie')
  writeFileSync(file, 'route: { receiver: none }\nreceivers: [{ name: none }]\n')
  assert.equal((await run(t, '--from', file, '--out', out)).code, 0)
  assert.ok(existsSync(join(out, 'config.yaml')))
})

test('policies of PagerDuty become escalations: a delay is the time until the next rule', async (t) => {
  const [ada, schedule] = [
    { id: 'PADA', type: 'user_reference', summary: 'Ada' },
    { id: 'S1', type: 'schedule_reference', summary: 'Primary' },
  ]
  const layer = {
    ...{ name: 'only', start: FROM, end: null, rotation_virtual_start: FROM, restrictions: [] },
    ...{ rotation_turn_length_seconds: 86_400, users: [{ user: ada }] },
  }
  const rendered = [
    {
      since: FROM,
      until: UNTIL,
      final_schedule: { rendered_schedule_entries: [{ start: FROM, end: UNTIL, user: ada }] },
    },
  ]
  const rules = (targets: readonly object[], escalation_delay_in_minutes: number, type = 'assign_to_everyone') => ({
    ...{ targets, escalation_delay_in_minutes, escalation_rule_assignment_strategy: { type } },
  })
  const { code, out, lines } = await imported(t, 'pagerduty', {
    users: [{ id: 'PADA', name: 'Ada', email: 'ada@example.com', time_zone: 'Europe/London' }],
    schedules: [
      { id: 'S1', name: 'Primary', time_zone: 'UTC', schedule_layers: [layer], overrides: [], rendered },
      { id: 'S2', name: 'Shifts', time_zone: 'UTC', overrides: [], rendered: [] },
    ],
    escalation_policies: [
      {
        ...{ name: 'Everyone', num_loops: 2 },
        escalation_rules: [
          rules([schedule], 5),
          rules([{ ...schedule, id: 'S2' }], 7),
          rules([ada, schedule], 20, 'round_robin'),
        ],
      },
    ],
  })
  assert.equal(code, 0, lines.join('\n'))
  assert.deepEqual(written(out).oncall.escalations, {
    everyone: {
      steps: [{ notify: ['schedule:primary'] }, { after: '12m', notify: ['person:ada', 'schedule:primary'] }],
      ...{ repeat: 2, repeat_after: '20m' },
    },
  })
  for (const line of [
    'schedule Shifts: has no layers, such as one of shifts: left out',
    'escalation policy Everyone: the target Primary has no counterpart: left out',
    'escalation policy Everyone: round_robin has no counterpart: all targets of the rule are asked',
  ])
    assert.ok(lines.includes(line), lines.join('\n'))
})
