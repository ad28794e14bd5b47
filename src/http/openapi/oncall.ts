import { z } from 'zod'
import { RunList } from '../../api/oncall/run.ts'
import {
  OncallOverride,
  OncallOverrideList,
  OncallOverrideRequest,
  OncallOverview,
  OncallShiftList,
  OncallTestAnswer,
} from '../../api/oncall/schedules.ts'
import { DISK, json, type Operation, ok, operationsOf } from './operation.ts'

const oncall = operationsOf('on-call', '/api/admin/')

const at = z.string().exactOptional()

const feed = operationsOf('on-call', '/api/oncall/')
const CALENDAR = {
  description:
    'The shifts of 30 days back and 180 ahead, in UTC. `file` is the name and `.ics`; the admin API shows the address. With `If-None-Match` it answers 304 when nothing changed.',
  query: z.object({ sig: z.string().describe('Signature of the address') }),
  answers: {
    200: { description: 'The calendar', content: { 'text/calendar': z.string() } },
    304: { description: 'Nothing changed' },
  },
  errors: ['not_found', 'ask_timeout', 'peer_down'] as const,
}

/** Routes of schedules of on-call. */
export const ONCALL: readonly Operation[] = [
  oncall('get oncall', 'Who is on call now and next by each schedule, and the people', {
    answers: ok(OncallOverview, 'The state of the schedules'),
  }),
  oncall('get oncall/runs', 'Escalations at work, then the newest others; at most 200', {
    answers: ok(RunList, 'The runs'),
  }),
  oncall(
    'post oncall/people/:key/ways/:way/test',
    'Send a marked test message to a person by one way; 1 is the first one',
    {
      description: 'It goes past the ledger, and there is no incident behind it. A provider gets a page and its end.',
      answers: ok(OncallTestAnswer, 'The result'),
      errors: ['bad_parameter'],
    },
  ),
  oncall(
    'get oncall/schedules/:name/shifts',
    'Shifts of a schedule: those that are over as they were, those to come by the configuration and the overrides',
    {
      query: z.object({
        from: at.describe('Local time of the schedule, or with a zone; default: now'),
        until: at.describe('At most 400 days after `from`; default: 28 days'),
      }),
      answers: ok(OncallShiftList, 'The shifts'),
    },
  ),
  oncall('get oncall/overrides', 'Overrides that clients made and that are not over', {
    answers: ok(OncallOverrideList, 'The overrides'),
  }),
  oncall('post oncall/overrides', 'Put one person on call in place of another', {
    description: 'The person taken on and those relieved get a message by their first chat or mail way.',
    body: json(OncallOverrideRequest),
    answers: { 201: { description: 'The override', content: json(OncallOverride) } },
    errors: DISK,
  }),
  oncall('delete oncall/overrides/:id', 'End an override now; its record stays for 400 days', {
    query: z.object({ by: z.string().exactOptional().describe('The person who ends it') }),
    answers: ok(OncallOverride, 'The override'),
    errors: DISK,
  }),
  feed('get person/:file', 'The calendar of a person', CALENDAR),
  feed('get schedule/:file', 'The calendar of a schedule', CALENDAR),
]
