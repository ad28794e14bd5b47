import type { Dispatch } from '../../src/domain/delivery/dispatch.ts'

/** Copies the payloads of all dispatches into one buffer, which is transferred with the first of them. */
export function packContents(dispatches: readonly Dispatch[]): {
  readonly buffer: ArrayBuffer
  readonly packed: readonly Dispatch[]
} {
  const all = new Uint8Array(dispatches.reduce((size, { content }) => size + (content?.length ?? 0), 0))
  let end = 0
  const packed = dispatches.map((dispatch): Dispatch => {
    if (dispatch.content === undefined) return dispatch
    all.set(dispatch.content, end)
    end += dispatch.content.length
    return { ...dispatch, content: all.subarray(end - dispatch.content.length, end) }
  })
  return { buffer: all.buffer, packed }
}
