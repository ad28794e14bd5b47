import { z } from 'zod'
import { count, type Shape } from './fields.ts'

export const TailTicket = z.object({ ticket: z.string(), expires_in_ms: count })
export type TailTicket = Shape<typeof TailTicket>

/** Body of POST /api/admin/replicas/tail-tickets. */
export const TailTicketQuestion = z.object({
  ticket: z.string().exactOptional().describe('The ticket to redeem. Absent: one is issued'),
})
export type TailTicketQuestion = Shape<typeof TailTicketQuestion>

export const TailTicketAnswer = z.object({
  ticket: z.string().exactOptional().describe('When one was asked for'),
  valid: z.boolean().exactOptional().describe('When one was redeemed'),
})
export type TailTicketAnswer = Shape<typeof TailTicketAnswer>
