import { z } from 'zod'
import { nonNegative, type Shape, time } from '../fields.ts'

export const ModelFinding = z
  .object({
    title: z.string(),
    summary: z.string(),
    severity: z.string(),
    category: z.string(),
    confidence: nonNegative.max(1),
    suggestions: z.array(z.string()),
  })
  .describe("The model's finding about a pattern")
export type ModelFinding = Shape<typeof ModelFinding>

export const DetectCall = z
  .object({
    id: z.string(),
    at: time,
    pattern_id: z.string(),
    verdict: z.string().describe('`unknown` or `spike`'),
    source: z.string(),
    service: z.string(),
    template: z.string(),
    outcome: z.string().describe('`ok`, or the kind of failure'),
    error: z.string().describe('Why there is no finding; "" if there is one'),
    finding: ModelFinding.nullable(),
    model: z.string(),
    duration_ms: nonNegative,
  })
  .describe('One call of the model, without prompts and response')
export type DetectCall = Shape<typeof DetectCall>

/** Also the entry in detect.json, where entries of earlier versions may lack fields and hold others. */
export const DetectCallDetail = DetectCall.extend({
  prompts: z.union([z.object({ system: z.string(), user: z.string() }), z.string()]),
  raw_response: z.string(),
}).describe('One call of the model with prompts and response')
export type DetectCallDetail = Shape<typeof DetectCallDetail>

/** Newest first. */
export const DetectCallList = z.object({ events: z.array(DetectCall) })
export type DetectCallList = Shape<typeof DetectCallList>
