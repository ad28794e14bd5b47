import { encodeFrame, readFrameRequests } from '../domain/frame.ts'

/** Returns a frame with those requests of a frame, not sealed, whose position `keep` accepts; undefined for none. */
export function selectRequests(
  frame: Uint8Array,
  keep: (request: number) => boolean,
): Uint8Array<ArrayBuffer> | undefined {
  const requests = readFrameRequests(frame).filter((_, request) => keep(request))
  if (requests.length === 0) return undefined
  const bodies = requests.flatMap(({ incidents }) => incidents.map(({ body }) => body))
  const columns = {
    receivedAt: requests.map(({ receivedAt }) => receivedAt),
    counts: requests.map(({ incidents }) => incidents.length),
    lengths: bodies.map(({ length }) => length),
    options: requests.flatMap(({ receivedAt: _, incidents, ...options }, request) =>
      Object.keys(options).length === 0 ? [] : [[request, options] as const],
    ),
  }
  return encodeFrame(columns, Buffer.concat(bodies))
}
