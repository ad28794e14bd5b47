import type { Reason } from '../../src/domain/heartbeat.ts'
import { durationText } from '../../src/text/duration.ts'

/** Returns why a heartbeat does not beat: `is missing`, `failed with 3`, `runs for longer than 2h`. */
export function reasonText(why: Reason, maxRunMs: number | undefined): string {
  switch (why.kind) {
    case 'silence':
      return 'is missing'
    case 'overrun':
      return maxRunMs === undefined ? 'runs for too long' : `runs for longer than ${durationText(maxRunMs)}`
    case 'failure':
      return why.exitStatus === undefined ? 'failed' : `failed with ${why.exitStatus}`
    default:
      return why satisfies never
  }
}
