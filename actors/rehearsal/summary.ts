import type { RehearsalRun, RehearsedDestination } from '../../src/api/noise/rehearsal.ts'
import { destinationName } from '../../src/domain/delivery/delivery.ts'
import { type DigestCount, digestCounts, type Fate } from '../../src/store/noise/queries/rehearsed.ts'
import type { StoreBoot } from '../wiring/boot.ts'
import { isHeldForGood, isToldToNobody } from './fate.ts'
import type { Run } from './run.ts'

type Counted = { -readonly [K in 'by_message' | 'by_digest' | 'held' | 'waiting']: number } & {
  readonly toldMs: number[]
}

/** Counts how the incidents of one run fared. */
export class Summary {
  readonly #destinations = new Map<string, Counted & Pick<RehearsedDestination, 'channel' | 'target'>>()
  readonly #run: { nobody: number; held: number; pages: number; joined: number } = {
    nobody: 0,
    held: 0,
    pages: 0,
    joined: 0,
  }

  add(fate: Fate): void {
    if (isToldToNobody(fate)) this.#run.nobody++
    else if (isHeldForGood(fate)) this.#run.held++
    if (fate.paged) this.#run.pages++
    if (fate.joined) this.#run.joined++
    for (const delivery of fate.deliveries) {
      const counted = this.#of(delivery)
      if (delivery.state === 'held' || delivery.state === 'silenced') counted.held++
      else if (delivery.toldAt === null) counted.waiting++
      else {
        counted[delivery.inDigest ? 'by_digest' : 'by_message']++
        counted.toldMs.push(delivery.toldAt - fate.committedAt)
      }
    }
  }

  #of({ channel, target }: Pick<DigestCount, 'channel' | 'target'>) {
    const key = destinationName({ channel, target })
    const counted = this.#destinations.get(key) ?? {
      channel,
      target,
      by_message: 0,
      by_digest: 0,
      held: 0,
      waiting: 0,
      toldMs: [],
    }
    this.#destinations.set(key, counted)
    return counted
  }

  /** Ends the count. */
  result({ db, store }: Run, { policy }: StoreBoot): Omit<RehearsalRun, 'escalations'> {
    const digests = new Map(digestCounts(db).map((each) => [destinationName(each), each]))
    const { rules, unmatched } = store.noise.routeHits()
    const hitsOf = (rule: string) => rules.find(({ name }) => name === rule)?.hits ?? 0
    return {
      ...this.#run,
      destinations: Array.from(this.#destinations, ([key, { toldMs, ...counted }]) => ({
        ...counted,
        digests: digests.get(key)?.digests ?? 0,
        updates: digests.get(key)?.revisions ?? 0,
        ...timesOf(toldMs),
      })),
      rules: policy.routes.map(({ name, where }) => ({ name, line: where, hits: hitsOf(name) })),
      unmatched,
    }
  }
}

function timesOf(toldMs: number[]): Pick<RehearsedDestination, 'notified_p50_ms' | 'notified_max_ms'> {
  if (toldMs.length === 0) return { notified_p50_ms: null, notified_max_ms: null }
  toldMs.sort((a, b) => a - b)
  return {
    notified_p50_ms: toldMs[Math.floor((toldMs.length - 1) / 2)] ?? null,
    notified_max_ms: toldMs.at(-1) ?? null,
  }
}
