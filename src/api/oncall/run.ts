import { z } from 'zod'
import { DELIVERY_STATES } from '../../domain/delivery/delivery.ts'
import { count, type Shape, time } from '../fields.ts'

const RUN_PHASES = ['waiting', 'asking', 'acknowledged', 'held', 'exhausted', 'ended'] as const

/** A target of a step: one way of a person, a channel, or the provider. */
const RunPage = z.object({
  round: count.describe('0: the first pass over the steps'),
  step: z.int().min(0).describe('1: the first step; 0: the person who acknowledged was asked again'),
  target: z.string().describe('As in the configuration, such as `schedule:primary`'),
  because: z.string().describe('Why this person, such as `layer weeks`'),
  person: z.string().nullable().describe('Key of the person; null: the target is none'),
  way: z.string().nullable().describe('Channel, gateway or provider by which the person is reached'),
  state: z.enum(DELIVERY_STATES),
  planned_at: time.describe('When the step ran'),
  late_ms: count.describe('How long after its time the step ran'),
  due_at: time.nullable().describe('When it is sent, while that is to come'),
  told_at: time.nullable(),
  settled_at: time.nullable(),
  detail: z.string().nullable().describe('Why it was not sent, or what a gateway reports'),
})

export const RunRecord = z
  .object({
    id: z.int().min(1),
    problem: z.int().min(1),
    title: z.string(),
    severity: z.string(),
    escalation: z.string(),
    phase: z.enum(RUN_PHASES),
    began_at: time,
    next_at: time.nullable().describe('When the next step is due; null: it waits for no time'),
    acked_by: z.string().nullable(),
    ended_at: time.nullable(),
    ended_by: z.string().nullable(),
    pages: z.array(RunPage),
  })
  .describe('An escalation at work on a problem')
export type RunRecord = Shape<typeof RunRecord>

/** Open ones first, then the newest; at most 200. */
export const RunList = z.object({ runs: z.array(RunRecord), open: count })
export type RunList = Shape<typeof RunList>
