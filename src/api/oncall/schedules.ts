import { z } from 'zod'
import { count, nonNegative, type Shape, time } from '../fields.ts'

const person = z.string().nullable().describe('Key of `people`; null: nobody is on call')
const personName = z.string().nullable()

export const OncallShift = z
  .object({
    from: time.nullable().describe('null: since before all that is known'),
    until: time.nullable().describe('null: without an end that is known'),
    person,
    name: personName,
    because: z.string().describe('`layer nights`, `override 7 by Ben: holidays`, `override 1 of the file`, or `gap`'),
    recorded: z.boolean().describe('It is over: it is as it was, whatever the configuration says now'),
  })
  .describe('A stretch with one person on call, or a gap')
export type OncallShift = Shape<typeof OncallShift>

const feed = z
  .string()
  .nullable()
  .describe('Path and query of the calendar (iCalendar), signed; null: `oncall.feeds.enable` is false')

const OncallSchedule = z
  .object({
    name: z.string(),
    time_zone: z.string().describe('IANA name'),
    gaps: z.enum(['forbidden', 'allowed']),
    now: OncallShift,
    next: OncallShift.nullable().describe('null: the shift of now has no end'),
    first_gap: z
      .object({ from: time, until: time.nullable() })
      .nullable()
      .describe('First stretch of the next 30 days without a person; null: there is none'),
    feed,
  })
  .describe('A schedule of `oncall.schedules`')
export type OncallSchedule = Shape<typeof OncallSchedule>

const OncallPerson = z
  .object({
    key: z.string(),
    name: z.string(),
    ways: z
      .array(z.object({ way: z.string(), after_ms: count }))
      .describe('Channel, `gateway:<name>` or `provider`; never the address. Empty without `oncall.escalations`'),
    feed,
  })
  .describe('A person of `people`')

export const OncallOverview = z
  .object({
    zone_data: z.string().describe('Version of the time zone data, such as `2026c`'),
    api_overrides: z.boolean().describe('`oncall.overrides.api`: false leaves overrides to the file'),
    schedules: z.array(OncallSchedule).describe('Empty: `oncall.schedules` has none'),
    people: z.array(OncallPerson),
  })
  .describe('Who is on call now and next')
export type OncallOverview = Shape<typeof OncallOverview>

export const OncallTestAnswer = z
  .object({
    person: z.string().describe('Key of `people`'),
    way: z.string().describe('Channel, `gateway:<name>` or `provider`'),
    ok: z.boolean().describe('The provider, or the program of the gateway, took the message'),
    detail: z.string().describe('The answer of the provider, or why it took nothing'),
    duration_ms: nonNegative,
  })
  .describe('A test message to a person by one way')
export type OncallTestAnswer = Shape<typeof OncallTestAnswer>

export const OncallShiftList = z.object({
  schedule: z.string(),
  time_zone: z.string(),
  shifts: z
    .array(OncallShift)
    .describe(
      'They fill the span; the first and the last keep their edges. What is over is known since the schedule is in use',
    ),
})
export type OncallShiftList = Shape<typeof OncallShiftList>

export const OncallOverride = z
  .object({
    id: count,
    schedule: z.string(),
    from: time,
    until: time.describe('Of one that was ended early: its end'),
    person: person.describe('Key of `people`; null: nobody is on call, a gap'),
    name: personName,
    instead_of: z.string().nullable().describe('Only what would be this person’s is covered; null: all of the time'),
    by: z.string(),
    reason: z.string(),
    made_at: time,
    ended_at: time.nullable().describe('null: it was not ended early'),
    ended_by: z.string().nullable(),
  })
  .describe('One person on call in place of another, made by a client')
export type OncallOverride = Shape<typeof OncallOverride>

export const OncallOverrideList = z.object({ overrides: z.array(OncallOverride).describe('Those that are not over') })
export type OncallOverrideList = Shape<typeof OncallOverrideList>

const at = z.string().describe('Local time of the schedule, `2026-12-24T18:00`, or with a zone, `2026-12-24T17:00:00Z`')

export const OncallOverrideRequest = z
  .object({
    schedule: z.string(),
    person: z.string().describe('Key of `people`, or `nobody`: a gap'),
    from: at.exactOptional().describe('As `until`; at most an hour ago; default: now'),
    until: at,
    instead_of: z.string().exactOptional().describe('Key of a person: only what would be theirs is covered'),
    by: z.string().exactOptional().describe('The person who makes it'),
    reason: z.string().describe('At most 200 characters'),
  })
  .describe('At most `oncall.overrides.max` long; a schedule has at most 200 that are not over')
