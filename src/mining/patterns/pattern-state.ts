import type { Verdict } from '../../domain/pattern-verdict.ts'
import type { FindingKind, KnownBy, Mode, Pattern } from '../contract.ts'
import { copyString } from '../copy-string.ts'
import { addBaseline, advance, type Baseline, newBaseline } from '../detect/baseline.ts'
import type { Cluster } from './cluster.ts'

/** A time of trouble with a pattern: from its first finding until it was quiet for `renotifyMs` (burst) or a day. */
export interface Episode {
  readonly openedAtMs: number
  /** Time of the last incident, and the mode at that time. */
  notifiedAtMs: number
  mode: Mode
  lastAtMs: number
  count: number
  /** Number of lines of its largest tick. */
  loudest: number
}

/** State of a pattern beside its template. */
export interface PatternState {
  firstSeenMs: number
  lastSeenMs: number
  service: string
  rule: string
  verdict: Verdict
  knownBy: KnownBy
  /** Bursts are not reported before this time; set when an unknown pattern becomes known. 0: no limit. */
  burstsFromMs: number
  tags: readonly string[]
  baseline: Baseline
  /** Number of the tick that `baseline.recent[0]` belongs to. */
  tick: number
  episodes: Episodes
  /** Lines of the tick that is not closed yet. */
  open: OpenTick
  /** Fields of the stored entry, to keep those that are unknown. */
  extra: { readonly [field: string]: unknown }
}

interface OpenTick {
  lines: number
  samples: string[]
  services: string[]
}

export type Episodes = { [kind in FindingKind]?: Episode }

export type TrackedPattern = Cluster<PatternState>

const MAX_SAMPLES = 3
const MAX_SAMPLE_LENGTH = 2_000
const MAX_SERVICES = 8
const MAX_TAGS = 64

/** An open tick without lines; shared and frozen. */
export const NO_LINES: OpenTick = Object.freeze({ lines: 0, samples: [], services: [] })
const NO_FIELDS = Object.freeze({})

export function newPatternState(): PatternState {
  return {
    firstSeenMs: 0,
    lastSeenMs: 0,
    service: '',
    rule: '',
    verdict: 'unknown',
    knownBy: '',
    burstsFromMs: 0,
    tags: [],
    baseline: newBaseline(),
    tick: -1,
    episodes: {},
    open: NO_LINES,
    extra: NO_FIELDS,
  }
}

/** Counts a line in the open tick. Keeps up to three samples of an unknown pattern, else one. */
export function count(state: PatternState, text: string, service: string): void {
  if (state.open === NO_LINES) state.open = { lines: 0, samples: [], services: [] }
  const { open, verdict } = state
  open.lines++
  const samples = verdict === 'unknown' ? MAX_SAMPLES : 1
  if (open.samples.length < samples && !open.samples.includes(text))
    open.samples.push(copyString(text.slice(0, MAX_SAMPLE_LENGTH)))
  if (service !== '' && open.services.length < MAX_SERVICES && !open.services.includes(service))
    open.services.push(service)
}

/** Advances the baseline to a tick; the ticks between count as zero lines. */
export function advanceTo(state: PatternState, tick: number): void {
  if (tick > state.tick) advance(state.baseline, tick - state.tick)
  state.tick = Math.max(tick, state.tick)
}

/** Merges the state of `other` into `to`. An operator's verdict wins over `known`, and `known` over `unknown`. */
export function mergePatternStates(to: PatternState, other: PatternState): void {
  if (rank(other) > rank(to)) {
    to.verdict = other.verdict
    to.knownBy = other.knownBy
    to.burstsFromMs = other.burstsFromMs
  }
  to.tags = [...new Set([...to.tags, ...other.tags])].slice(0, MAX_TAGS)
  to.firstSeenMs = Math.min(to.firstSeenMs, other.firstSeenMs)
  to.lastSeenMs = Math.max(to.lastSeenMs, other.lastSeenMs)
  const tick = Math.max(to.tick, other.tick)
  advanceTo(to, tick)
  advanceTo(other, tick)
  addBaseline(to.baseline, other.baseline)
  to.episodes = {
    ...mergeEpisodes('unknown', to.episodes.unknown, other.episodes.unknown),
    ...mergeEpisodes('spike', to.episodes.spike, other.episodes.spike),
  }
  to.open = {
    lines: to.open.lines + other.open.lines,
    samples: [...to.open.samples, ...other.open.samples].slice(0, MAX_SAMPLES),
    services: [...new Set([...to.open.services, ...other.open.services])].slice(0, MAX_SERVICES),
  }
}

function rank({ verdict, knownBy }: PatternState): number {
  if (knownBy === 'operator') return 2
  return verdict === 'known' ? 1 : 0
}

function mergeEpisodes(kind: FindingKind, own: Episode | undefined, other: Episode | undefined): Episodes {
  if (!own || !other) return own || other ? { [kind]: own ?? other } : {}
  const joined: Episode = {
    ...(own.openedAtMs <= other.openedAtMs ? own : other),
    notifiedAtMs: Math.max(own.notifiedAtMs, other.notifiedAtMs),
    lastAtMs: Math.max(own.lastAtMs, other.lastAtMs),
    count: own.count + other.count,
    loudest: Math.max(own.loudest, other.loudest),
  }
  return { [kind]: joined }
}

export const hasEpisode = ({ unknown, spike }: Episodes): boolean => unknown !== undefined || spike !== undefined

export function patternOf({ id, source, template, lines, state }: TrackedPattern): Pattern {
  const { firstSeenMs, lastSeenMs, service, rule, verdict, knownBy, tags, baseline } = state
  return {
    id,
    template: template.text,
    source,
    service,
    rule,
    firstSeenMs,
    lastSeenMs,
    count: lines,
    baselineFrequency: baseline.mean,
    verdict,
    knownBy,
    tags,
  }
}
