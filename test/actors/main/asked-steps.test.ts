import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedSteps } from '../../../actors/main/api/oncall/asked-steps.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { openCalendar } from '../../../src/policy/oncall/calendar.ts'
import { configFile, folder } from '../../harness/config-file.ts'

const CONFIG = {
  alert: { chatws: { enable: true, token: 'xoxb-1', channel_id: 'C1' } },
  people: {
    ada: { name: 'Ada', time_zone: 'UTC', ways: [{ chatws: 'U0ADA00001' }] },
    ben: {
      name: 'Ben',
      time_zone: 'UTC',
      ways: [{ chatws: 'U0BEN00001' }],
      quiet: { hours: '22:00-07:00', below: 'high' },
    },
  },
  oncall: {
    enable: true,
    escalation: 'office',
    schedules: {
      days: {
        ...{ time_zone: 'UTC', gaps: 'allowed' },
        layers: [{ name: 'days', start: '2026-01-05', every: '1 week', on: ['Mon-Sun 08:00-18:00'], members: ['ada'] }],
      },
    },
    escalations: {
      office: {
        steps: [
          { notify: ['schedule:days', 'channel:chatws'] },
          { after: '8m', notify: ['person:ada'], min_severity: 'critical' },
          { after: '10m', notify: ['person:ben'] },
        ],
      },
    },
  },
}

/** Returns whom the escalation would ask about a problem of a severity rank at a time. */
async function askedAt(time: string, level: number): Promise<string[]> {
  const { config } = loadConfig({ file: configFile(folder(), CONFIG), env: {} })
  const calendar = openCalendar(config.oncallSchedules, () => [])
  const steps = await askedSteps(
    {
      settings: () => config,
      // biome-ignore lint/suspicious/noExplicitAny: it is asked for shifts alone
      askStorage: async ({ name, from, until }: any): Promise<any> => calendar.shifts(name, from, until),
    },
    { escalation: 'office', waitMs: 60_000, level, now: Date.parse(time) },
  )
  return steps.map(({ stage, subject, verdict, because }) => `${stage} ${subject}: ${verdict}, ${because}`)
}

test('each step says whom it would ask, when and why', async () => {
  assert.deepEqual(await askedAt('2026-11-25T12:00:00Z', 0), [
    'on-call step 1: ask, after 60 s: Ada (schedule:days, layer days); channel:chatws',
    'on-call step 2: ask, after 9 min: Ada (person:ada)',
    'on-call step 3: ask, after 19 min: Ben (person:ben)',
  ])
})

test('at another time nobody is on call, a step is passed, and quiet hours put off the last one', async () => {
  assert.deepEqual(await askedAt('2026-11-25T23:00:00Z', 2), [
    'on-call step 1: no person, after 60 s: nobody (schedule:days, gap); channel:chatws',
    'on-call step 2: passed, it is not loud enough',
    'on-call step 3: ask, after 8 h: Ben (person:ben)',
  ])
})
