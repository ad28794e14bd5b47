import { FRAME_HEADER_BYTES } from '../domain/frame.ts'
import { type Files, writeWhole } from './files.ts'
import type { Recovered } from './recovery.ts'
import { segmentPath, withSegment } from './scan.ts'

/**
 * Makes what was recovered hold. Syncs the segments of committed frames, which may be in memory alone. Erases the frames
 * that do not count, as far as the disk allows it: one that stays loses against a later life.
 */
export function settle(files: Files, directory: string, { chain, discarded }: Recovered): void {
  for (const number of new Set(chain.map(({ segment }) => segment)))
    withSegment(files, directory, number, ({ file }) => files.sync(file))
  try {
    for (const { segment, offset } of discarded) erase(files, segmentPath(directory, segment), offset)
  } catch {}
}

function erase(files: Files, path: string, offset: number): void {
  const file = files.open(path, 'write')
  try {
    writeWhole(files, file, [new Uint8Array(FRAME_HEADER_BYTES)], offset)
    files.sync(file)
  } finally {
    files.close(file)
  }
}
