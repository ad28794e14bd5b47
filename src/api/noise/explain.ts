import { z } from 'zod'
import { count, jsonObject, type Shape, time } from '../fields.ts'

const EXPLAIN_STAGES = [
  'recognised',
  'idempotency',
  'silence',
  'route',
  'override',
  'priority',
  'group',
  'destination',
  'fallback',
  'provider',
  'on-call',
  'answer',
] as const

/** Verdicts of the stage `route`; `default`: no rule matches. */
const ROUTE_VERDICTS = ['match', 'no', 'default'] as const

const VERDICTS = ROUTE_VERDICTS.map((verdict) => `\`${verdict}\``).join(', ')

export const ExplainStep = z.object({
  stage: z.enum(EXPLAIN_STAGES),
  subject: z.string().describe('Name of the rule, destination or field; empty when the stage has one answer'),
  verdict: z
    .string()
    .describe(`Of a rule ${VERDICTS}; of other stages one word or two, such as \`folded\` or \`sent\``),
  because: z.string().describe('The facts that decided'),
  at: time.nullable(),
  line: z.string().nullable().describe('File and line of the configuration that decided, as `config/config.yaml:112`'),
  digest: count.nullable().describe('Number of the digest that tells of it'),
  silence: count
    .nullable()
    .describe(
      'Number of the silence that holds it, or would, or that a person made; null also when its record is deleted',
    ),
})
export type ExplainStep = Shape<typeof ExplainStep>

export const Explanation = z
  .object({
    incident_id: z.string().nullable().describe('null: a payload that is not stored'),
    title: z.string(),
    configuration: z
      .enum(['then', 'now'])
      .describe('Which one the rules are of: `then`, in force when the incident was applied; `now`, in force now'),
    decisions: z.array(ExplainStep),
  })
  .describe('Who was notified of an incident, and why, step by step')
export type Explanation = Shape<typeof Explanation>

export const ExplainRequest = z.object({
  payload: jsonObject,
  query: z.record(z.string(), z.string()).exactOptional().describe('Query parameters of the request'),
  at: time.exactOptional().describe('Moment at which schedules are asked; default: now'),
})
