import { z } from 'zod'
import { type Shape, time } from '../fields.ts'

export const LogService = z
  .object({
    name: z.string(),
    first_seen: time,
    grace_ends: time.describe('Until then everything new of the service is learned and not reported'),
    in_grace: z.boolean(),
  })
  .describe('A service that the agent found in the logs')
export type LogService = Shape<typeof LogService>

export const LogServiceList = z.object({ services: z.array(LogService) })
export type LogServiceList = Shape<typeof LogServiceList>

export const GraceRequest = z.object({ action: z.enum(['end', 'restart']) })
export type GraceRequest = Shape<typeof GraceRequest>
