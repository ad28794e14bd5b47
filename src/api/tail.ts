import { z } from 'zod'
import { count, type Shape } from './fields.ts'

export const TailTicket = z.object({ ticket: z.string(), expires_in_ms: count })
export type TailTicket = Shape<typeof TailTicket>
