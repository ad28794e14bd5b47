import { AGENT } from './agent.ts'
import { ALERTS } from './alerts.ts'
import { ANSWERS } from './answers.ts'
import { BRIEF } from './brief.ts'
import { DELIVERIES } from './deliveries.ts'
import type { Family } from './family.ts'
import { INGEST } from './ingest.ts'
import { MCP } from './mcp.ts'
import { NOISE } from './noise.ts'
import { ONCALL } from './oncall.ts'
import { STORAGE } from './storage.ts'
import { THREADS } from './threads.ts'
import { TOPIC_AND_TAIL } from './topic-and-tail.ts'

/** All metrics named `tocsin_*`; prom-client adds those of the process. */
export const FAMILIES: readonly Family[] = [
  ...INGEST,
  ...DELIVERIES,
  ...NOISE,
  ...THREADS,
  ...STORAGE,
  ...ONCALL,
  ...AGENT,
  ...TOPIC_AND_TAIL,
  ...ALERTS,
  ...ANSWERS,
  ...MCP,
  ...BRIEF,
]
