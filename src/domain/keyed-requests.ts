import { headerOf, readFrameCounts, readFrameOptions } from './frame.ts'
import { incidentId } from './incident-id.ts'

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly key: string
  /** Number and id of its first incident. */
  readonly number: number
  readonly id: string
}

/** Yields the keyed requests of a sealed frame, which may end with its options. Throws when it cannot be read. */
export function* keyedRequests(frame: Uint8Array): Generator<KeyedRequest> {
  const { keyed, first, idPrefix } = headerOf(frame)
  if (!keyed) return
  const options = readFrameOptions(frame)
  let number = first
  for (const [request, count] of readFrameCounts(frame).entries()) {
    const key = options.get(request)?.key
    if (key !== undefined) yield { key, number, id: incidentId(idPrefix, number) }
    number += count
  }
}
