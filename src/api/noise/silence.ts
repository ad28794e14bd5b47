import { z } from 'zod'
import { count, nextCursor, type Shape, time } from '../fields.ts'

/** Values by field; a list means any of them. */
export const Match = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .describe(
    'Conditions by field, as `match` of a route: `service`, `title`, `min_severity`, `labels.<name>`, `payload.<path>` and others. All have to fit. Of several conditions on one field, which only the API of Alertmanager makes, the last is shown',
  )

export const SilenceWindow = z
  .object({
    cron: z.string().exactOptional().describe('Five fields; either this or `rrule`'),
    rrule: z.string().exactOptional(),
    start: z.string().exactOptional().describe('First time of `rrule`, local: `2026-01-06T02:00`'),
    for: z.string().describe('Elapsed time, such as `2h`'),
    time_zone: z.string().describe('IANA name, such as `Europe/Berlin`'),
  })
  .describe('Times at which it begins, and how long it lasts')

const HeldCounts = z
  .object({
    from: time,
    to: time.nullable().describe('null while it lasts'),
    alerts: count.describe('Incidents that were held or silenced'),
    problems: count.describe('Different fingerprints'),
    resolved: count.describe('Problems whose last incident is resolved'),
    firing: count.describe('Problems that still fire: sent at the end'),
    criticals: count.describe('Firing problems of severity critical'),
    pages: count.describe('On-call timers that are held'),
  })
  .describe('One window of a silence, and what it held')
export type HeldCounts = Shape<typeof HeldCounts>

const SILENCE_STATES = ['scheduled', 'active', 'ended'] as const
const SILENCE_ORIGINS = ['config', 'api', 'cause', 'answer'] as const

export const SilenceRecord = z
  .object({
    id: count,
    name: z.string(),
    state: z.enum(SILENCE_STATES).describe('`scheduled`: its next window has not begun'),
    origin: z
      .enum(SILENCE_ORIGINS)
      .describe(
        'Those of the configuration are read-only here, as are those that a cause of `parent` made; `answer`: a press on a message',
      ),
    line: z.string().nullable().describe('File and line of the configuration; null unless it is from there'),
    problem: count.nullable().describe('Number of the one problem that it is made for; null: conditions decide'),
    match: Match,
    text: z.string().describe('The conditions in words'),
    while: Match.nullable().describe('In force only while a problem fires that fits this; null: times decide'),
    while_text: z.string().nullable().describe('These conditions in words, with `equal`'),
    equal: z
      .array(z.string())
      .nullable()
      .describe(
        'Labels: it holds what has the same values of these as a cause; each set of values makes a silence of its own',
      ),
    parent: count.nullable().describe('Number of the silence of whose `equal` this one is a set of values'),
    children: count.describe('Live silences that its causes made; 0 without `equal`'),
    starts_at: time.describe(
      'Of a recurring one: begin of the window that is open, or of the next; of one with `while`: of the window that is open',
    ),
    ends_at: time
      .nullable()
      .describe(
        'Of a recurring one: end of that window; null: no window comes any more, or it ends with its causes (`while`)',
      ),
    schedule: z.array(SilenceWindow).nullable().describe('null: it has one window'),
    windows: z
      .array(z.object({ from: time, to: time }))
      .describe('Of a recurring one: the open window and those of the next two weeks, at most 14; empty for others'),
    until: time.nullable().describe('A recurring one, or one with `while`, ends for good; null for others'),
    until_resolved: z
      .boolean()
      .describe('Ends early, when no problem that fits has fired, or flapped after it fired, for `quiet_for`'),
    quiet_for: z.string().nullable().describe('Such as `10m`; null: it does not end early'),
    quiet_ends_at: time
      .nullable()
      .describe('It ends then unless a problem that fits fires before; null: one fires, or it does not end early'),
    owner: z.string(),
    comment: z.string(),
    created_at: time,
    ended_at: time.nullable(),
    ended_by: z.string().nullable().describe('The person; null when its time was over'),
    held: HeldCounts.nullable().describe('Of the window that is open, or of the last one; null: none began'),
    held_total: count.describe('Incidents that it held or silenced since it was made'),
    last_held_at: time.nullable(),
  })
  .describe('Holds messages and pages of matching incidents until its end; nothing is discarded')
export type SilenceRecord = Shape<typeof SilenceRecord>

const HeldProblem = z
  .object({
    fingerprint: z.string(),
    title: z.string(),
    service: z.string(),
    severity: z.string(),
    status: z.enum(['firing', 'resolved']),
    alerts: count,
    incident_id: z.string().describe('Its newest incident'),
    last_at: time,
    destinations: z.array(z.string()).describe('Where it will be sent: `chatws`, `chatws:payments`, `oncall`'),
  })
  .describe('Incidents of one fingerprint that a silence holds')

const SilenceCause = z
  .object({
    problem: count,
    fingerprint: z.string(),
    title: z.string(),
    service: z.string(),
    severity: z.string(),
    since: time.describe('Since when it fires'),
  })
  .describe('A problem that keeps a silence in force')

export const SilenceDetail = SilenceRecord.extend({
  problems: z.array(HeldProblem).describe('Of the open window, newest first; at most 500'),
  causes: z
    .array(SilenceCause)
    .describe('Problems that fire and fit `while`, the latest first; at most 100; up to 200 ms behind'),
}).describe('A silence with what it holds now')
export type SilenceDetail = Shape<typeof SilenceDetail>

/** Active ones first, then scheduled ones, then ended ones; in each the one that ends or ended last at the end. */
export const SilencePage = z.object({ silences: z.array(SilenceRecord), next_cursor: nextCursor })
export type SilencePage = Shape<typeof SilencePage>

export const SilencePreview = z
  .object({
    text: z.string().describe('The conditions in words'),
    since: time.describe('The oldest incident that was looked at; at most 24 h ago'),
    looked_at: count.describe('Stored incidents of that time; retention may have deleted others'),
    incidents: count.describe('Of these it would have held'),
    problems: count,
    criticals: count,
    pages: count,
    causes: count.describe('Problems that would have put it in force; 0 without `while`'),
    broad: z.boolean().describe('More than half of what was looked at: `broad: true` is needed'),
    examples: z
      .array(z.object({ incident_id: z.string(), title: z.string(), severity: z.string() }))
      .describe('At most 5'),
    starts_at: time.nullable().describe('Its first window; null: none comes, or it waits for a cause (`while`)'),
    ends_at: time.nullable(),
  })
  .describe('Effect of a silence on the last 24 hours')
export type SilencePreview = Shape<typeof SilencePreview>
