import { z } from 'zod'
import { STATUSES } from '../domain/incident.ts'
import { SEVERITY_LEVELS } from '../domain/severity.ts'
import { count, nonNegative, type Shape, time } from './fields.ts'

const number = z.int().min(1)
const milliseconds = nonNegative.nullable()

export const NoteRecord = z
  .object({
    id: number,
    problem: number.nullable().describe('null: the problem is not stored any more'),
    fingerprint: z.string(),
    at: time,
    by: z.string(),
    text: z.string(),
  })
  .describe('What a person noted about a problem')
export type NoteRecord = Shape<typeof NoteRecord>

export const NoteList = z.object({ notes: z.array(NoteRecord).describe('Newest first; at most 50') })
export type NoteList = Shape<typeof NoteList>

export const NoteRequest = z.object({
  text: z.string().min(1).max(2_000),
  by: z.string().exactOptional().describe("The person's name"),
})

export const ChangeRecord = z
  .object({
    id: number,
    at: time,
    service: z.string().describe('Empty: of all'),
    kind: z.string().describe('Such as `deploy`'),
    summary: z.string(),
    link: z.string().describe('Empty, or http or https'),
  })
  .describe('A marker of what was changed')
export type ChangeRecord = Shape<typeof ChangeRecord>

/** Newest first. */
export const ChangeList = z.object({ changes: z.array(ChangeRecord) })
export type ChangeList = Shape<typeof ChangeList>

export const ChangeRequest = z
  .object({
    summary: z.string().min(1).describe('At most 1,000 characters are kept'),
    service: z.string().exactOptional(),
    at: z.string().exactOptional().describe('ISO 8601; default: now'),
    kind: z.string().exactOptional(),
    link: z.string().exactOptional().describe('http or https'),
    id: z.string().exactOptional().describe('A repeated one is stored once'),
  })
  .describe('Or the body of a change event of PagerDuty')

export const ChangeStored = z.object({ id: number })
export type ChangeStored = Shape<typeof ChangeStored>

export const Brief = z.object({
  at: time,
  problem: z.object({
    id: number,
    title: z.string(),
    service: z.string(),
    level: z.enum(SEVERITY_LEVELS),
    state: z.enum(STATUSES),
    since: time.describe('Begin of the state'),
    opened_at: time.describe('When it began to fire'),
    firing: count,
    acked_at: time.nullable(),
    acked_by: z.string().nullable(),
    opening: number.nullable().describe('Number of the time that it fires, or fired last; null: none is kept'),
  }),
  notified: z.array(
    z.object({ channel: z.string(), target: z.string().nullable(), after_ms: milliseconds, status: z.string() }),
  ),
  page: z.object({ provider: z.string(), due_at: time.nullable(), state: z.string() }).nullable(),
  before: z.object({
    count,
    days: count,
    shortest_ms: milliseconds,
    median_ms: milliseconds,
    longest_ms: milliseconds,
    openings: z.array(
      z.object({
        id: number,
        opened_at: time,
        ended_at: time.nullable(),
        ended_by: z.string().nullable(),
        acked_by: z.string().nullable(),
        incident: z.string().nullable().describe('Id of the incident that began it; null: it is not stored any more'),
      }),
    ),
  }),
  similar: z.array(
    z.object({
      problem: number,
      title: z.string(),
      service: z.string(),
      score: nonNegative,
      count,
      median_ms: milliseconds,
      acked_by: z.string().nullable(),
      opening: number,
    }),
  ),
  notes: z.array(NoteRecord),
  silences: z.array(
    z.object({
      id: number,
      comment: z.string(),
      state: z.enum(['holds', 'would_hold', 'begins']),
      starts_at: time,
      ends_at: time.nullable(),
    }),
  ),
  nearby: z
    .object({
      openings: z.array(
        z.object({
          problem: number,
          title: z.string(),
          service: z.string(),
          opened_at: time,
          ended_at: time.nullable(),
        }),
      ),
      services: z.array(z.object({ service: z.string(), count })),
      digests: z.array(z.object({ number, title: z.string() })),
    })
    .nullable(),
  logs: z.array(
    z.object({
      pattern: z.string(),
      at: time,
      text: z.string(),
      count,
    }),
  ),
  changes: z.array(ChangeRecord),
  runbook: z.array(z.string()),
  late: z.array(z.string()),
  unapplied: count,
})
export type Brief = Shape<typeof Brief>
