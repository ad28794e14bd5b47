import { z } from 'zod'
import { count } from './fields.ts'

/** Answer of POST /api/incidents for one incident, and for a list. */
export const CreatedAnswer = z.union([
  z.object({ status: z.literal('Incident created') }),
  z.object({ status: z.literal('Incidents created'), count }),
])
export const DuplicateAnswer = z.object({ status: z.literal('Incident already created') })

/** Answer to a message of the notification topic. */
export const TopicAnswer = z.object({ status: z.string() })
