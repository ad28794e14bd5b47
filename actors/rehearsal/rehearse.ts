import type {
  RehearsalResult,
  RehearsalRun,
  RehearsedDestination,
  RehearsedPart,
} from '../../src/api/noise/rehearsal.ts'
import { destinationName } from '../../src/domain/delivery/delivery.ts'
import { type DigestCount, digestCounts, type Fate, fatesIn } from '../../src/store/noise/queries/rehearsed.ts'
import type { HistoryRange } from '../../src/store/ports/history.ts'
import { isoTime, isoTimeOrNull } from '../../src/text/iso-time.ts'
import type { StoreBoot } from '../wiring/boot.ts'
import type { HistorySource, Progress, RehearsalPlan } from '../wiring/rehearsal.ts'
import { Differences } from './differences.ts'
import { isHeldForGood, isToldToNobody } from './fate.ts'
import { openRun, type Run } from './run.ts'

interface Around {
  readonly progress: Progress
  /** Processor time that it may take, in milliseconds. */
  readonly maxCpuMs: number
  /** Processor time of the calling thread so far, in milliseconds. */
  cpuMs(): number
}

/** The newest incidents that one rehearsal takes, and the most of their payloads: both runs keep them in temporary files. */
const MAX_INCIDENTS = 100_000
const MAX_PAYLOAD_BYTES = 512 * 1024 * 1024

/**
 * Plays history under both configurations side by side, and compares how each incident fares. A history that takes more
 * processor time than it may, or has too many payloads, is played up to there, as if nothing had come later.
 */
export async function rehearse(plan: RehearsalPlan, source: HistorySource, around: Around): Promise<RehearsalResult> {
  const range = await source.range({ from: plan.from, limit: MAX_INCIDENTS })
  const begin = { startAt: plan.from, silences: await source.silences(plan.from) }
  const runs = [await openRun(plan.inForce, begin), await openRun(plan.proposed, begin)] as const
  try {
    const played = await play(runs, { source, range, around })
    return { history: historyOf(plan, range, played), ...(await compared(runs, plan)) }
  } finally {
    for (const run of runs) run.close()
  }
}

interface Playing {
  readonly source: HistorySource
  readonly range: HistoryRange
  readonly around: Around
}

type Played = Pick<RehearsalResult['history'], 'incidents' | 'partial'>

async function play(runs: readonly Run[], { source, range: { first, last }, around }: Playing): Promise<Played> {
  let [incidents, bytes, next] = [0, 0, first]
  let partial: RehearsedPart | null = null
  while (next <= last && partial === null) {
    const page = await source.page({ first: next, last })
    if (page.length === 0) break
    for (const run of runs) await run.feed(page)
    incidents += page.length
    next = (page.at(-1)?.number ?? last) + 1
    await around.progress(Math.min(1, (next - first) / (last - first + 1)))
    bytes += page.reduce((sum, { draft }) => sum + draft.content.length, 0)
    const because = boundOf(around, bytes)
    const until = isoTime(page.at(-1)?.committedAt ?? 0)
    if (because !== undefined && next <= last) partial = { until, left_out: last - next + 1, because }
  }
  for (const run of runs) await run.finish()
  return { incidents, partial }
}

/** Returns why the history ends here; undefined: it goes on. */
function boundOf({ cpuMs, maxCpuMs }: Around, bytes: number): string | undefined {
  const tooLong = 'the history is too long for'
  if (cpuMs() > maxCpuMs) return `${tooLong} ${maxCpuMs / 1_000} s of processor time`
  return bytes > MAX_PAYLOAD_BYTES ? `${tooLong} ${MAX_PAYLOAD_BYTES / 2 ** 20} MiB of payloads` : undefined
}

function historyOf(
  { from, to, inForce }: RehearsalPlan,
  range: HistoryRange,
  played: Played,
): RehearsalResult['history'] {
  return {
    from: isoTime(from),
    to: isoTime(to),
    ...played,
    stored_since: isoTimeOrNull(range.storedSince),
    complete: range.complete,
    max_incidents: inForce.storage.maxIncidents,
  }
}

async function compared([before, after]: readonly [Run, Run], { inForce, proposed }: RehearsalPlan) {
  const [summary, next, differences] = [new Summary(), new Summary(), new Differences()]
  const [then, now] = [await escalationsIn(before, inForce), await escalationsIn(after, proposed)]
  for (const [was, is] of pairs(fatesIn(before.db, then?.asked), fatesIn(after.db, now?.asked))) {
    summary.add(was)
    next.add(is)
    differences.add(was, is)
  }
  return {
    in_force: { ...summary.result(before, inForce), escalations: then?.counts ?? null },
    proposed: { ...next.result(after, proposed), escalations: now?.counts ?? null },
    changes: differences.changes,
    lost_criticals: differences.lostCriticals,
  }
}

/** Loads nothing where there are none. */
async function escalationsIn({ db }: Run, { escalations }: StoreBoot) {
  return escalations && (await import('./escalations.ts')).escalationsIn(db, escalations)
}

/** Both runs number the same incidents; one that either could not apply is left out. */
function* pairs(some: Generator<Fate>, others: Generator<Fate>): Generator<readonly [Fate, Fate]> {
  let other = others.next()
  for (const one of some) {
    while (!other.done && other.value.number < one.number) other = others.next()
    if (other.done) return
    if (other.value.number === one.number) yield [one, other.value]
  }
}

type Counted = { -readonly [K in 'by_message' | 'by_digest' | 'held' | 'waiting']: number } & {
  readonly toldMs: number[]
}

/** Counts how the incidents of one run fared. */
class Summary {
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
        edits: digests.get(key)?.edits ?? 0,
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
