import { encodeFrame, type FrameColumns } from '../../src/domain/frame.ts'

/** Returns a frame of single-incident requests with these bodies. `keys`: idempotency keys, by position. */
export function frameOf(bodies: readonly string[], keys: { readonly [request: number]: string } = {}) {
  const encoded = bodies.map((body) => Buffer.from(body))
  const columns: FrameColumns = {
    receivedAt: bodies.map(() => 1_000),
    counts: bodies.map(() => 1),
    lengths: encoded.map(({ length }) => length),
    options: Object.entries(keys).map(([request, key]) => [Number(request), { key }] as const),
  }
  return encodeFrame(columns, Buffer.concat(encoded))
}
