import { z } from 'zod'
import { channelName, count, jsonObject, nonNegative, type Shape, time } from '../fields.ts'

/**
 * Change for an incident from the configuration in force to the proposed one. The first that fits counts:
 *
 *     lost         nobody would be notified or paged any more
 *     silenced     a silence would hold for good what is notified or paged now
 *     page_lost    it would not page any more
 *     gained       nobody is notified or paged now; somebody would be
 *     page_gained  it would page
 *     moved        it would go to other destinations
 *     page_moved   escalations would ask other people
 */
const CHANGE_KINDS = ['lost', 'silenced', 'page_lost', 'gained', 'page_gained', 'moved', 'page_moved'] as const
const LEVELS = ['critical', 'high', 'warning', 'info', 'debug'] as const

export const RehearsalRequest = z.object({
  config: z
    .union([z.string(), jsonObject])
    .describe(
      'The sections `routes`, `schedules`, `silences` and `noise`, as YAML text or as an object. One that is absent is as in force; an empty list or map clears it. References to variables and files are refused',
    ),
  hours: z
    .number()
    .gt(0)
    .max(24 * 366)
    .exactOptional()
    .describe('Length of the history; default: 24'),
  file: z
    .string()
    .max(200)
    .exactOptional()
    .describe('Name that stands for the file in errors and warnings; default: `proposed`'),
})

const notifiedAfter = nonNegative
  .nullable()
  .describe('Milliseconds from commit to the message; null: nothing was notified')

const RehearsedDestination = z.object({
  channel: channelName,
  target: z.string().nullable().describe('Name of another destination of the channel; null: its default one'),
  by_message: count.describe('Incidents with a message of their own'),
  by_digest: count.describe('Incidents with a place in a digest'),
  digests: count,
  updates: count.describe('Messages and edits of these digests'),
  edits: count.describe('Updates that edit the message before; a group begins with the message of its first incident'),
  held: count.describe('Incidents that a silence holds or held for good'),
  waiting: count.describe('Incidents that were not notified when the rehearsal ended'),
  notified_p50_ms: notifiedAfter,
  notified_max_ms: notifiedAfter,
})
export type RehearsedDestination = Shape<typeof RehearsedDestination>

const RehearsedPerson = z.object({
  person: z.string().describe('Key of the person'),
  name: z.string(),
  messages: count.describe('Pages by all ways; one about many problems counts once'),
  at_night: count.describe('Those from 22:00 to 07:00 by the clock of the person'),
})

const RehearsedEscalations = z
  .object({
    runs: count.describe('Escalations that began'),
    unanswered: count.describe('Those of which nobody was woken, or that nobody answered'),
    people: z.array(RehearsedPerson).describe('By key, people without a page included'),
  })
  .describe('What escalations did')
export type RehearsedEscalations = Shape<typeof RehearsedEscalations>

const RehearsedRule = z.object({ name: z.string(), line: z.string(), hits: count })

export const RehearsalRun = z
  .object({
    destinations: z.array(RehearsedDestination),
    nobody: count.describe('Incidents of which no message is sent and that do not page'),
    held: count.describe('Incidents that a silence holds or held for good at every destination'),
    pages: count.describe('Incidents for which the on-call person was paged'),
    joined: count.describe('Incidents for which the page of another one stands, or an escalation'),
    escalations: RehearsedEscalations.nullable().describe('null: the configuration has none'),
    rules: z.array(RehearsedRule).describe('In their order; those with `hits: 0` took no incident of this history'),
    unmatched: count.describe('Incidents that no rule matched'),
  })
  .describe('What one configuration does with the history')
export type RehearsalRun = Shape<typeof RehearsalRun>

export const ChangedIncident = z.object({
  id: z.string(),
  title: z.string(),
  service: z.string(),
  severity: z.string(),
  at: time.describe('Its commit'),
  before: z
    .array(z.string())
    .describe('Where it goes now: `chatws`, `chatws:payments`, `on-call`, `on-call:ada`; empty: nobody'),
  after: z.array(z.string()).describe('Where it would go'),
})
export type ChangedIncident = Shape<typeof ChangedIncident>

export const RehearsalChange = z
  .object({
    kind: z
      .enum(CHANGE_KINDS)
      .describe(
        'The first that fits an incident. `lost`: nobody would be notified or paged any more; `silenced`: a silence would hold it for good; `page_lost`; `gained`: nobody is notified or paged now; `page_gained`; `moved`: other destinations; `page_moved`: escalations would ask other people',
      ),
    level: z.enum(LEVELS),
    count,
    incidents: z.array(ChangedIncident).describe('The oldest 1,000'),
  })
  .describe('Incidents of one level that fare differently in the same way')
export type RehearsalChange = Shape<typeof RehearsalChange>

const RehearsedPart = z
  .object({
    until: time.describe('Commit of the last incident that was rehearsed'),
    left_out: count.describe('Later incidents, which were not; at most so many'),
    because: z.string().describe('Such as `the history is too long for 60 s of processor time`'),
  })
  .describe('The history was too long: all numbers are of its older part')
export type RehearsedPart = Shape<typeof RehearsedPart>

export const RehearsalHistory = z.object({
  from: time,
  to: time,
  incidents: count.describe('Rehearsed incidents'),
  stored_since: time.nullable().describe('Commit of the oldest incident that is stored; null: none is'),
  complete: z
    .boolean()
    .describe('False: retention, or the limit of 100,000 incidents, cut the beginning of the time asked for'),
  max_incidents: count.nullable().describe('`storage.file.max_incidents`'),
  partial: RehearsedPart.nullable().describe('null: the history was rehearsed to its end'),
})
export type RehearsalHistory = Shape<typeof RehearsalHistory>

export const RehearsalResult = z.object({
  history: RehearsalHistory,
  in_force: RehearsalRun,
  proposed: RehearsalRun,
  changes: z.array(RehearsalChange).describe('Worst first; empty: every incident fares as now'),
  lost_criticals: count.describe('Critical incidents among `lost` and `silenced`: above 0 the command exits with 1'),
})
export type RehearsalResult = Shape<typeof RehearsalResult>

export const Rehearsal = z
  .object({
    id: z.string(),
    state: z
      .enum(['running', 'done', 'partial', 'failed'])
      .describe('`partial`: it ended before the end of the history, and has a result of the older part'),
    progress: z.number().min(0).max(1),
    warnings: z.array(z.string()).describe('Of the proposed configuration'),
    error: z.string().nullable().describe('Why it failed, or is partial'),
    result: RehearsalResult.nullable().describe('null until it has ended'),
  })
  .describe('History, played under the configuration in force and under a proposed one')
export type Rehearsal = Shape<typeof Rehearsal>
