import { FRAME_HEADER_BYTES } from '../domain/frame.ts'
import type { Files } from './files.ts'
import { type FramePlace, isIntact, readFrame, type SegmentFile, WRONG_CHECKSUM } from './frame-place.ts'
import { searchFrames, segmentNumbers, walkSegment, withSegment } from './scan.ts'

/** Content of the segment files. */
export interface Recovered {
  /** Frames that are committed and hold an incident above `released`, in order. */
  readonly chain: readonly FramePlace[]
  /** Frames above `released` that are not committed: torn, or of a group whose numbers were given again. */
  readonly discarded: readonly FramePlace[]
  readonly segments: readonly { readonly number: number; readonly bytes: number }[]
  /** Highest life that any frame names; 0: none. */
  readonly life: number
  /** Committed frames that are damaged or missing, in words. */
  readonly damage: readonly string[]
}

interface Bounds {
  /** Number of the last incident that storage does not need from the journal any more. */
  readonly released: number
  /** Number of the last incident that is known to be committed; Infinity: the files decide. */
  readonly committed: number
}

/** Places in order, and those of damaged frames that no other frame leads to: their numbers may be wrong. */
interface Candidates {
  readonly places: readonly FramePlace[]
  readonly alone: readonly FramePlace[]
}

/**
 * Finds the committed frames by these rules.
 *
 * - A segment holds frames of one life, one behind another; what lies behind the last one that fits is older, or torn.
 * - A life begins in a segment of its own, at the number behind the last committed one. So frames of an earlier life from
 *   that number on were never committed, and their numbers were given again.
 * - Before each write all earlier frames were on disk. So a missing or damaged frame was committed if the first frame of
 *   a later write is there (`leads`): that is damage, and the frames behind it count. If none is there, it is the torn
 *   end of the last write, unless its numbers are known to be committed.
 * - A damaged frame at the begin of a segment counts where its numbers are missing, and nowhere else.
 *
 * Checksums are checked where the end may be torn: in the last segment. Throws `storage_down` for a newer format.
 */
export function recover(files: Files, directory: string, { released, committed }: Bounds): Recovered {
  const segments: { number: number; bytes: number }[] = []
  const found: FramePlace[] = []
  const alone: FramePlace[] = []
  const starts = new Map<number, number>()
  for (const number of segmentNumbers(files, directory)) {
    withSegment(files, directory, number, (segment) => {
      segments.push({ number, bytes: segment.bytes })
      for (const place of framesOf(files, segment, released)) {
        if (isAlone(place)) {
          alone.push(place)
          continue
        }
        if (place.first < (starts.get(place.life) ?? Infinity)) starts.set(place.life, place.first)
        if (place.last > released) found.push(place)
      }
    })
  }
  const candidates = withoutVoid(found, starts).filter(({ first }) => first <= committed)
  candidates.sort((one, other) => one.first - other.first)
  const places = checkLastSegment(files, directory, candidates)
  const { chain, damage } = committedPart({ places, alone }, { released, committed })
  return {
    chain,
    discarded: without(found, chain),
    segments,
    life: Math.max(0, ...starts.keys()),
    damage,
  }
}

/**
 * Yields the frames of a segment. The header of a frame is trusted when the next one continues it, or its checksum is
 * right; a damaged one counts with the number that the frame before it leads to.
 */
function* framesOf(files: Files, segment: SegmentFile, released: number): Generator<FramePlace> {
  let last: FramePlace | undefined
  for (const place of walkSegment(files, segment)) {
    if (last !== undefined) yield last
    last = place
  }
  let end = 0
  if (last !== undefined && isIntact(readFrame(files, segment.file, last))) {
    yield last
    end = last.offset + last.bytes
  } else if (last !== undefined) {
    yield { ...last, damage: WRONG_CHECKSUM }
    end = last.offset + FRAME_HEADER_BYTES
  }
  yield* searchFrames(files, segment, end, released)
}

const isAlone = ({ offset, damage }: FramePlace) => offset === 0 && damage !== undefined

/** Returns those of the frames found that are not in the chain. */
function without(found: readonly FramePlace[], chain: readonly FramePlace[]): readonly FramePlace[] {
  const kept = new Set(chain.map(placeKey))
  return found.filter((place) => !kept.has(placeKey(place)))
}

const placeKey = ({ segment, offset }: FramePlace) => segment * 2 ** 32 + offset

/** Leaves out the frames from whose number on a later life has given the numbers again. */
function withoutVoid(found: readonly FramePlace[], starts: ReadonlyMap<number, number>): FramePlace[] {
  const lives = [...starts].sort(([one], [other]) => other - one)
  const validBelow = new Map<number, number>()
  let lowest = Infinity
  for (const [life, start] of lives) {
    validBelow.set(life, lowest)
    lowest = Math.min(lowest, start)
  }
  return found.filter(({ life, first }) => first < (validBelow.get(life) ?? Infinity))
}

/** Marks the frames of the last segment whose checksum is wrong. */
function checkLastSegment(files: Files, directory: string, places: readonly FramePlace[]): readonly FramePlace[] {
  const last = places.at(-1)?.segment
  if (last === undefined) return places
  const checked = withSegment(files, directory, last, ({ file }) =>
    places.map((place) =>
      place.segment === last && !isIntact(readFrame(files, file, place)) ? { ...place, damage: WRONG_CHECKSUM } : place,
    ),
  )
  return checked ?? places.filter(({ segment }) => segment !== last)
}

/** Ends the chain at the torn end of the last write, or at the last incident that is known to be committed. */
function committedPart(
  { places, alone }: Candidates,
  { released, committed }: Bounds,
): Pick<Recovered, 'chain' | 'damage'> {
  const isKnown = committed !== Infinity
  const lastLeading = places.findLastIndex(({ leads, damage }) => leads && damage === undefined)
  const chain: FramePlace[] = []
  const damage: string[] = []
  let next = released + 1

  function take(place: FramePlace, last: number): void {
    if (place.damage !== undefined) damage.push(`the incidents ${place.first} to ${last} are damaged: ${where(place)}`)
    chain.push(last === place.last ? place : { ...place, last })
    next = last + 1
  }

  /** Accounts for the incidents below `end` that no place holds. */
  function fillGap(end: number): void {
    const lost = alone.find(({ first, last }) => first === next && last < end)
    if (lost) take(lost, lost.last)
    if (next < end) damage.push(`the incidents ${next} to ${end - 1} are missing ${whereBehind(chain.at(-1))}`)
  }

  for (const [at, place] of places.entries()) {
    const isGap = place.first > next
    const isDamaged = place.damage !== undefined
    const wasCommitted = isKnown || (isGap ? at <= lastLeading : at < lastLeading)
    if ((isGap || isDamaged) && !wasCommitted) break
    const last = isDamaged ? Math.min(place.last, committed, (places[at + 1]?.first ?? Infinity) - 1) : place.last
    if (last < next) continue
    if (isGap) fillGap(place.first)
    take(place, last)
  }
  if (isKnown) fillGap(committed + 1)
  return { chain, damage }
}

const where = ({ segment, offset, damage }: FramePlace) => `${damage} (segment ${segment}, offset ${offset})`

const whereBehind = (place: FramePlace | undefined) =>
  place === undefined
    ? 'from its beginning'
    : `(expected in segment ${place.segment} at offset ${place.offset + place.bytes})`
