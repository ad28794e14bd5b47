import { z } from 'zod'
import { count, type Shape, time } from './fields.ts'

const McpTokenRecord = z
  .object({
    name: z.string(),
    scope: z.enum(['read', 'act']),
    act_on: z.string().describe('Problems that it may act on, in words; empty: any'),
    may_stop_pages: z.boolean(),
    calls: count.describe('Calls of tools since the start'),
    last_used_at: time.nullable().describe('null: not since the start'),
  })
  .describe('A token of `mcp.tokens`, without its secret')

/** Empty: there is no `/mcp`. */
export const McpTokenList = z.object({ tokens: z.array(McpTokenRecord) })
export type McpTokenList = Shape<typeof McpTokenList>
