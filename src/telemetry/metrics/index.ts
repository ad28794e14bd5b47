import { DELIVERIES } from './deliveries.ts'
import type { Family } from './family.ts'
import { INGEST } from './ingest.ts'
import { PARTS } from './parts.ts'
import { THREADS } from './threads.ts'

/** Every metric of ours; prom-client adds those of the process. */
export const FAMILIES: readonly Family[] = [...INGEST, ...DELIVERIES, ...THREADS, ...PARTS]
