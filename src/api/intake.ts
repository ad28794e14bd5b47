import { z } from 'zod'
import { count } from './fields.ts'

/** Answers of POST /api/incidents: for one incident, for a list, for a request whose Idempotency-Key was used before. */
export const CreatedAnswer = z.union([
  z.object({ status: z.literal('Incident created') }),
  z.object({ status: z.literal('Incidents created'), count }),
])
export const DuplicateAnswer = z.object({ status: z.literal('Incident already created') })

/** Answer to a message of the notification topic. */
export const TopicAnswer = z.object({ status: z.string() })
