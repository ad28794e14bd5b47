import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rehearsalLines } from '../../../src/commands/noise/rehearsal-lines.ts'
import { bootFor, HOUR_MS, incident, rehearsed, START } from './setup.ts'

const MINUTE_MS = HOUR_MS / 60

const PEOPLE = {
  ada: { name: 'Ada', time_zone: 'Europe/Berlin', ways: [{ chatws: 'U0ADA00001' }] },
  ben: {
    name: 'Ben',
    time_zone: 'America/New_York',
    ways: [{ chatws: 'U0BEN00001' }, { email: 'ben@example.net', after: '2m' }],
  },
}

/** First one person, after ten minutes another; one round. */
const escalating = (first: string, second: string) =>
  bootFor({
    people: PEOPLE,
    oncall: {
      enable: true,
      escalation: 'office',
      escalations: {
        office: { steps: [{ notify: [`person:${first}`] }, { after: '10m', notify: [`person:${second}`] }], repeat: 0 },
      },
    },
  })

/** At 00:30 and 09:00 in Berlin, which is 18:30 and 03:00 in New York. */
const NIGHT = START - HOUR_MS / 2 + HOUR_MS * 24
const MORNING = START + 8 * HOUR_MS
const acknowledgedAt = (at: number) => ({ acknowledged: { at, by: 'Ada' } })

test('pages are counted for each person, and at night by the clock of that person', async () => {
  const history = [
    incident(1, MORNING, acknowledgedAt(MORNING + 5 * MINUTE_MS)),
    incident(2, NIGHT, acknowledgedAt(NIGHT + 15 * MINUTE_MS)),
  ]
  const { in_force, proposed } = await rehearsed(escalating('ada', 'ben'), escalating('ben', 'ada'), history)
  assert.deepEqual(in_force.escalations, {
    ...{ runs: 2, unanswered: 0 },
    people: [
      { person: 'ada', name: 'Ada', messages: 2, at_night: 1 },
      { person: 'ben', name: 'Ben', messages: 2, at_night: 0 },
    ],
  })
  assert.deepEqual(
    proposed.escalations?.people.map(({ messages, at_night }) => [messages, at_night]),
    [
      [1, 1],
      [4, 2],
    ],
  )
})

test('a problem that nobody acknowledged asks all, and counts as unanswered also when its sender ended it', async () => {
  const history = [
    incident(1, START, { resolvedAt: START + 2 * HOUR_MS }),
    incident(2, START + HOUR_MS, { fingerprint: 'other' }),
    incident(3, START + 5 * HOUR_MS, { fingerprint: 'third', resolvedAt: START + 5 * HOUR_MS + MINUTE_MS }),
  ]
  const { proposed } = await rehearsed(bootFor({}), escalating('ada', 'ben'), history)
  assert.deepEqual([proposed.escalations?.runs, proposed.escalations?.unanswered], [3, 2])
})

test('incidents whose problem asks other people are a change, and none is lost', async () => {
  const history = [incident(1, START, acknowledgedAt(START + 6 * MINUTE_MS))]
  const { changes, lost_criticals } = await rehearsed(bootFor({}), escalating('ada', 'ben'), history)
  assert.deepEqual(
    changes.map(({ kind, count, incidents: [first] }) => [kind, count, first?.before, first?.after]),
    [['page_moved', 1, ['chatws', 'email', 'on-call'], ['chatws', 'email', 'on-call:ada']]],
  )
  assert.equal(lost_criticals, 0)
  const same = await rehearsed(escalating('ada', 'ben'), escalating('ada', 'ben'), history)
  assert.deepEqual(same.changes, [])
})

test('the table shows each person, now and new; without escalations there is none', async () => {
  const history = [incident(1, START, acknowledgedAt(START + MINUTE_MS))]
  const lines = rehearsalLines(await rehearsed(bootFor({}), escalating('ada', 'ben'), history))
  const at = lines.findIndex((line) => line.startsWith('person'))
  assert.deepEqual(
    lines.slice(at, at + 4).map((line) => line.trimEnd().replace(/ +/g, ' ')),
    ['person pages 22:00 to 07:00', 'ada new 1 1', 'ben new 0 0', ' new: 1 escalations, 0 that nobody answered'],
  )
  const { in_force, ...rest } = await rehearsed(bootFor({}), bootFor({}), history)
  assert.equal(in_force.escalations, null)
  assert.ok(!rehearsalLines({ in_force, ...rest }).some((line) => line.startsWith('person')))
})
