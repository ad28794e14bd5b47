import { openPresses } from './presses.ts'
import { openRunRecords } from './records.ts'
import { openRuns } from './runs.ts'

/** The part of the store that runs escalations. Only a configuration that has some loads it. */
export const escalationPart = { openRuns, openRunRecords, openPresses }
export type EscalationPart = typeof escalationPart
