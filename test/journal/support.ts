import { randomUUID } from 'node:crypto'
import type { KeyedRequest } from '../../src/domain/frame.ts'
import { encodeFrame, type FrameColumns, type RequestOptions, readFrameRequests } from '../../src/domain/frame.ts'
import type { Journal } from '../../src/journal/contract.ts'
import type { Files } from '../../src/journal/files.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { openJournalReader } from '../../src/journal/reader.ts'
import { journalDirectory, segmentPath } from '../../src/journal/scan.ts'
import { Disk } from './disk.ts'

/** Small, so that a test passes through many segments. */
export const SMALL = { firstBytes: 4_096, maxBytes: 16_384 }
const DATA = '/data'
export const DIRECTORY = journalDirectory(DATA)
export const segment = (number: number): string => segmentPath(DIRECTORY, number)

/** Returns a frame of requests with one incident each. `options`: by position of the request. */
export function frameOf(bodies: readonly string[], options: { readonly [request: number]: RequestOptions } = {}) {
  const encoded = bodies.map((body) => Buffer.from(body))
  const columns: FrameColumns = {
    receivedAt: bodies.map(() => 1_000),
    counts: bodies.map(() => 1),
    lengths: encoded.map(({ length }) => length),
    options: Object.entries(options).map(([request, each]) => [Number(request), each] as const),
  }
  return encodeFrame(columns, Buffer.concat(encoded))
}

/** A body that no other has, of about `bytes`. */
export const newBody = (bytes = 40): string => JSON.stringify({ title: randomUUID(), rest: 'x'.repeat(bytes) })

interface Opened {
  readonly journal: Journal
  readonly keys: readonly KeyedRequest[]
  /** Reports of damage. */
  readonly damage: readonly string[]
}

/** Opens the journal on a disk. `released`: number up to which the database has everything. */
export function openOn(files: Files, released = 0, committed = 0): Opened {
  const damage: string[] = []
  const now = () => 1_700_000_000_000
  const opened = openJournal({
    dataDir: DATA,
    released,
    committed,
    now,
    damaged: (what) => damage.push(what),
    files,
    sizes: SMALL,
  })
  return { ...opened, damage }
}

/**
 * Returns the bodies by number that a reader finds above `released`; 'damaged' stands for those of a damaged frame, and
 * those of missing ones are left out.
 */
export function bodiesOn(files: Files, released: number, committed: number): ReadonlyMap<number, string> {
  const reader = openJournalReader(DIRECTORY, files)
  const bodies = new Map<number, string>()
  let next = released + 1
  for (;;) {
    const frames = reader.read(next, committed)
    for (const { frame, first, last, damage } of frames) {
      if (frame.length === 0) continue
      if (damage !== undefined) for (let number = first; number <= last; number++) bodies.set(number, 'damaged')
      else for (const [number, body] of bodiesOf(frame)) bodies.set(number, body)
    }
    const last = frames.at(-1)?.last
    if (last === undefined) return bodies
    next = last + 1
  }
}

export const bodiesOf = (frame: Uint8Array): [number, string][] =>
  readFrameRequests(frame).flatMap(({ incidents }) =>
    incidents.map(({ number, body }): [number, string] => [number, Buffer.from(body).toString()]),
  )

/** Appends one group of frames, each with these bodies. */
export const append = (journal: Journal, ...frames: readonly (readonly string[])[]): void =>
  journal.append(frames.map((bodies) => frameOf(bodies)))

/** Returns a disk and a journal on it with segments of a few kilobytes. */
export function newJournal() {
  const disk = new Disk([DATA])
  return { disk, ...openOn(disk) }
}

/** Lets work in the background end. */
export const inBackground = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
