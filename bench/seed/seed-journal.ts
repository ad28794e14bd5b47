import { encodeFrame } from '../../src/domain/frame.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { openStore } from '../../src/store/store.ts'
import { draftMaker } from './drafts.ts'

const DISTINCT = 1_000
/** Requests of one frame, as in a flood. */
const REQUESTS = 32
/** Frames of one write. */
const GROUP = 64

/** Fills a data directory with incidents of a kilobyte that are committed and not applied, like a kill in a flood. */
export function seedJournal(dataDir: string, incidents: number): void {
  const limits = { channels: [], maxIncidents: incidents, maxBacklog: incidents }
  const store = openStore({ dataDir, ...limits, now: () => Date.now() })
  const { released } = store.journal.progress()
  store.close()
  const damaged = (what: string) => {
    throw new Error(what)
  }
  const { journal } = openJournal({ dataDir, released, now: () => Date.now(), damaged })
  const make = draftMaker()
  const bodies = Array.from({ length: DISTINCT }, (_, n) => make(n).content)
  const frameAt = (from: number) => frameOf(bodies, from, Math.min(REQUESTS, incidents - from))
  for (let done = 0; done < incidents; ) {
    const frames: Uint8Array<ArrayBuffer>[] = []
    for (; done < incidents && frames.length < GROUP; done += REQUESTS) frames.push(frameAt(done))
    journal.append(frames)
  }
  journal.close()
}

function frameOf(bodies: readonly Uint8Array[], from: number, requests: number): Uint8Array<ArrayBuffer> {
  const own = Array.from({ length: requests }, (_, n) => bodies[(from + n) % bodies.length] as Uint8Array)
  const receivedAt = own.map(() => Date.now())
  const columns = { receivedAt, counts: own.map(() => 1), lengths: own.map(({ length }) => length), options: [] }
  return encodeFrame(columns, Buffer.concat(own))
}
