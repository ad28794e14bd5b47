import { z } from 'zod'
import { count, type Shape, time } from './fields.ts'

/** A door: paths in the shape of another program's API, and its requests since the start. */
const DoorStatus = z.object({
  name: z.string(),
  open: z.boolean().describe('False: its paths answer 404'),
  last_minute: count.describe('Requests of the last minute'),
  last_at: time.nullable().describe('Time of the last request'),
  codes: z.record(z.string(), count).describe('Requests by the status of the answer'),
  ignored: z.record(z.string(), count).describe('What was taken and changes nothing, by reason'),
})
export type DoorStatus = Shape<typeof DoorStatus>

/** All doors; of replicas those of the leader. */
export const DoorList = z.object({ doors: z.array(DoorStatus) })
export type DoorList = Shape<typeof DoorList>
