import type { Template } from './template.ts'

/** A pattern as the miner keeps it: lives until it is joined to an older one (`into`), evicted or forgotten. `R` is its owner's record of it. */
export interface Cluster<R> {
  readonly id: string
  readonly source: string
  /** Order of birth. */
  readonly born: number
  readonly state: R
  template: Template
  /** Words among the template's columns. */
  wordCount: number
  alive: boolean
  mergedInto: Cluster<R> | undefined
  /** Lines matched, those of the patterns that were joined to it included. */
  lines: number
  /** Number of the last line it matched. */
  lastLine: number
  /** An operator has said something about it: evicted last. */
  pinned: boolean
  /** Arrangements of separators and values that its template has been adjusted to. */
  readonly shapes: number[]
  /** Ids of patterns joined to it, to which it answers. */
  readonly aliases: string[]
}

/** The pattern that stands for this one now. */
export function survivorOf<R>(cluster: Cluster<R>): Cluster<R> {
  let survivor = cluster
  while (survivor.mergedInto) survivor = survivor.mergedInto
  for (let each = cluster; each.mergedInto && each.mergedInto !== survivor; ) {
    const next = each.mergedInto
    each.mergedInto = survivor
    each = next
  }
  return survivor
}

/** A pattern with no more lines than this has yet to prove itself. */
const MAX_NEWCOMER_LINES = 2
/** Share of all places that newcomers have for themselves, so that neither they nor the established can push the others out. */
const NEWCOMER_SHARE = 0.2
const EVICTED_SHARE = 1 / 16

/** Which patterns make room when there are `max` of them: those seen longest ago, newcomers first, those with an operator's word last. */
export function evictable<R>(clusters: Iterable<Cluster<R>>, max: number): Cluster<R>[] {
  const all = [...clusters]
  const newcomers = all.filter(({ lines, pinned }) => lines <= MAX_NEWCOMER_LINES && !pinned).length
  const crowded = newcomers > max * NEWCOMER_SHARE
  const rank = ({ lines, pinned }: Cluster<R>) => (pinned ? 2 : crowded && lines <= MAX_NEWCOMER_LINES ? 0 : 1)
  return all.sort((a, b) => rank(a) - rank(b) || a.lastLine - b.lastLine).slice(0, Math.ceil(max * EVICTED_SHARE))
}
