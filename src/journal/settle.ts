import { FRAME_HEADER_BYTES } from '../domain/frame.ts'
import { type Files, writeWhole } from './files.ts'
import { type FramePlace, readFrame } from './frame-place.ts'
import type { Recovered } from './recovery.ts'
import { segmentPath } from './scan.ts'

/**
 * Makes what was recovered hold. The frames of the last write may be in memory alone, and after a failed sync they would
 * not be written again: so they are written anew and synced. Frames that do not count are erased, as far as the disk
 * allows it: one that stays loses against a later life.
 */
export function settle(files: Files, directory: string, { chain, discarded }: Recovered): void {
  const lastWrite = chain.slice(
    Math.max(
      0,
      chain.findLastIndex(({ leads }) => leads),
    ),
  )
  inSegments(files, directory, lastWrite, (file, place) => {
    writeWhole(files, file, [readFrame(files, file, place)], place.offset)
  })
  try {
    inSegments(files, directory, discarded, (file, { offset }) => {
      writeWhole(files, file, [new Uint8Array(FRAME_HEADER_BYTES)], offset)
    })
  } catch {}
}

/** Runs `change` for each frame and syncs its segment. */
function inSegments(
  files: Files,
  directory: string,
  places: readonly FramePlace[],
  change: (file: number, place: FramePlace) => void,
): void {
  for (const number of new Set(places.map(({ segment }) => segment))) {
    const file = files.open(segmentPath(directory, number), 'write')
    try {
      for (const place of places) if (place.segment === number) change(file, place)
      files.sync(file)
    } finally {
      files.close(file)
    }
  }
}
