import type { Ref } from '../../src/kernel/ref.ts'
import { Validator } from '../../src/validate/validator.ts'
import type { Commit } from '../messages/ingest-journal.ts'
import { type OpenFrame, OpenFrames } from './open-frames.ts'

/** Requests with a key, or without, on their way to the journal; each kind keeps its order. */
export interface Lane {
  readonly frames: OpenFrames
  readonly journal: Ref<Commit>
  readonly maxInflight: number
  readonly maxInflightBytes: number
  awaitingRoom: boolean
  /** Number of its requests that are not answered yet, and the bytes that they hold. */
  inflight: number
  inflightBytes: number
}

export const laneTo = (journal: Ref<Commit>, maxInflight: number, maxInflightBytes: number): Lane => ({
  frames: new OpenFrames(new Validator()),
  journal,
  maxInflight,
  maxInflightBytes,
  inflight: 0,
  inflightBytes: 0,
  awaitingRoom: false,
})

/** Makes the room of a frame free again. */
export function release(lane: Lane, { intakes, heldBytes }: OpenFrame): void {
  lane.inflight -= intakes.length
  lane.inflightBytes -= heldBytes
}
