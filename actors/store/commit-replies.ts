import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { COMMIT_WINDOW, type Committed } from '../messages/ingest-storage.ts'

/** The way back to the ingest of every front, in their order. What is for one that is gone goes with it: its clients were cut off. */
export function committedTo(fronts: readonly Link[]): Ref<Committed> {
  const ways = fronts.map((link) => ({ link, ref: link.outlet<Committed>('ingest', COMMIT_WINDOW) }))
  const [only] = ways
  return only && ways.length === 1 ? only.ref : severalWays(ways)
}

interface Way {
  readonly link: Link
  readonly ref: Ref<Committed>
}

/** There is room while all that are up have some. */
function severalWays(ways: readonly Way[]): Ref<Committed> {
  let waiting: (() => void)[] = []
  const up = () => ways.filter(({ link }) => link.up)
  const sum = (of: (ref: Ref<Committed>) => number) => ways.reduce((total, { ref }) => total + of(ref), 0)
  const room = () => Math.min(COMMIT_WINDOW, ...up().map(({ ref }) => ref.room))
  const look = () => {
    const full = up().find(({ ref }) => ref.room === 0)
    if (full) return full.ref.whenRoom(look)
    const resumed = waiting
    waiting = []
    for (const resume of resumed) resume()
  }
  for (const { link } of ways) link.watch((isUp) => isUp || look())
  return {
    name: 'ingest',
    tell(committed) {
      const way = ways[committed.batch % ways.length]
      return !way?.link.up || way.ref.tell(committed)
    },
    get room() {
      return room()
    },
    whenRoom(resume) {
      waiting.push(resume)
      look()
    },
    get outstanding() {
      return sum(({ outstanding }) => outstanding)
    },
    whenIdle(resume) {
      const busy = ways.find(({ ref }) => ref.outstanding > 0)
      if (busy) busy.ref.whenIdle(() => this.whenIdle(resume))
      else resume()
    },
    get refused() {
      return sum(({ refused }) => refused)
    },
  }
}
