import { z } from 'zod'
import { SENDERS, SOURCES, STATUSES } from '../../domain/incident.ts'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import { AnswerRecord } from '../answer.ts'
import { count, nextCursor, type Shape, time } from '../fields.ts'
import { IncidentRecord } from '../incident.ts'
import { RunRecord } from '../oncall/run.ts'

const ENDINGS = ['sender', 'person', 'quiet'] as const

export const ProblemRecord = z
  .object({
    id: z.int().min(1),
    fingerprint: z.string(),
    state: z.enum(STATUSES),
    title: z.string().describe('Of the latest incident, as service, severity, sender and source'),
    service: z.string(),
    severity: z.string(),
    level: z.enum(SEVERITY_LEVELS).describe('The loudest severity since it began to fire, as one of five levels'),
    sender: z.enum(SENDERS),
    source: z.enum(SOURCES),
    since: time.describe('Begin of the state'),
    opened_at: time.describe('Last time that it began to fire'),
    first_at: time.describe('Commit of its first incident'),
    last_at: time.describe('Commit of its latest incident'),
    firing: count.describe('Firing incidents since `opened_at`'),
    firing_total: count.describe('Firing incidents since `first_at`'),
    resolved_total: count,
    ended_by: z
      .enum(ENDINGS)
      .nullable()
      .describe(
        'null while it fires; `quiet`: no incident came for 24 h, or for 30 min of a sender that never resolves',
      ),
    resolved_by: z.string().nullable().describe('Id of the resolved incident that ended it'),
    ends_at: time
      .nullable()
      .describe(
        'When it is over unless another incident comes; null when it is, and for alerts of the Alertmanager API',
      ),
    acked_at: time.nullable(),
    acked_by: z.string().nullable(),
    flap_score: z.number().min(0).max(8).describe('Rises by 1 with each change of state, halves in 30 minutes'),
    last_incident_id: z.string(),
  })
  .describe('All incidents of one fingerprint')
export type ProblemRecord = Shape<typeof ProblemRecord>

/** Firing ones first, then the latest first. */
export const ProblemPage = z.object({
  problems: z.array(ProblemRecord),
  firing: count.describe('Problems that fire, whatever the filter'),
  next_cursor: nextCursor,
})
export type ProblemPage = Shape<typeof ProblemPage>

/** A sender of the Alertmanager API that says that the alert fires. */
const Claim = z.object({
  sender: z
    .string()
    .describe('Origin of `generatorURL` and address of the client; empty: it fired when the service started'),
  until: time.describe('When it ends unless it is repeated'),
})

export const ProblemDetail = ProblemRecord.extend({
  claims: z
    .array(Claim)
    .optional()
    .describe('Of an alert of the Alertmanager API: who says that it fires; it is over without one'),
  runs: z
    .array(RunRecord)
    .optional()
    .describe('Escalations at work on it, and earlier ones, newest first; at most 5. Absent: none is configured'),
  incidents: z.array(IncidentRecord).describe('The latest incidents that are still stored, newest first; at most 100'),
  answers: z.array(AnswerRecord).describe('What people did to it, latest first; at most 20'),
  brief: z.literal(true).optional().describe('Its brief can be read; absent: `brief.enable` is false'),
  silence: z
    .object({ fingerprint: z.string() })
    .describe('Conditions of a silence that fits this problem and no other'),
}).describe('A problem with its latest incidents')
export type ProblemDetail = Shape<typeof ProblemDetail>
