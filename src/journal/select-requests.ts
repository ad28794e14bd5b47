import { encodeRequests, readFrameRequests } from '../domain/frame.ts'

/** Returns a frame with those requests of a frame, not sealed, whose position `keep` accepts; undefined for none. */
export function selectRequests(
  frame: Uint8Array,
  keep: (request: number) => boolean,
): Uint8Array<ArrayBuffer> | undefined {
  const requests = readFrameRequests(frame).filter((_, request) => keep(request))
  if (requests.length === 0) return undefined
  return encodeRequests(
    requests.map(({ receivedAt, incidents, ...options }) => ({
      receivedAt,
      bodies: incidents.map(({ body }) => body),
      options,
    })),
  )
}
