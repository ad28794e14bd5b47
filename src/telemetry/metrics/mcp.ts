import { labelled } from './answers.ts'
import { counter, type Family, seconds } from './family.ts'

const CALL_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]

/** Calls of the Model Context Protocol. */
export const MCP: readonly Family[] = [
  counter('tocsin_mcp_calls_total', 'Calls of tools at /mcp.', ({ mcp }) =>
    labelled(['tool', 'token', 'outcome'], mcp.calls),
  ),
  seconds('tocsin_mcp_seconds', 'Seconds until a call was answered.', CALL_MS, ({ mcp }) =>
    Array.from(mcp.tookMs, ([tool, of]) => ({ labels: { tool }, of })),
  ),
  counter('tocsin_mcp_refused_total', 'Requests to /mcp that were refused, by reason.', ({ mcp }) =>
    labelled(['reason'], mcp.refused),
  ),
  counter('tocsin_mcp_confirmed_total', 'Actions that clients of /mcp confirmed.', ({ mcp }) =>
    labelled(['action'], mcp.confirmed),
  ),
]
