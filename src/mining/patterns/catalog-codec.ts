import type { KnownBy, Mode, StoredPattern, Verdict } from '../contract.ts'
import { type Baseline, HELD, JUDGED_TICKS, newBaseline } from '../detect/baseline.ts'
import { asAmount, asFields, asText, asTexts, asTime, type Fields, timeText } from '../fields.ts'
import type { Scan } from '../tokens/token-scanner.ts'
import type { Adoption } from './miner.ts'
import {
  advanceTo,
  type Episode,
  type Episodes,
  hasEpisode,
  NO_LINES,
  newTrack,
  type Track,
  type Tracked,
} from './pattern-state.ts'
import { keep, type Template, templateOfKept, templateOfText } from './template.ts'

/** A stored entry, read: what the miner takes in, and what is kept beside. */
export interface Restored {
  readonly adoption: Adoption
  readonly track: Track
}

const KNOWN_BY: readonly string[] = ['training', 'grace', 'count', 'operator'] satisfies KnownBy[]
const IGNORED: readonly string[] = ['ignored', 'ignore', 'muted']
const MODES: readonly string[] = ['training', 'shadow', 'detect'] satisfies Mode[]

/** What other tools write in a template where we write `<*>`. */
const NAMED_HOLE =
  /<:?(?:\*|NUM|NUMBER|INT|FLOAT|IP|IPV4|IPV6|HEX|UUID|ID|SEQ|TIME|TIMESTAMP|DATE|DURATION|PATH|FILE|URL|EMAIL|MAC|HOST|PORT|SIZE|STR|STRING|USER|VAR|CMD):?>/g

/** Reads an entry of patterns.json, also one of an earlier version, which holds no more than a template and a few counts. */
export function readPattern(scan: Scan, key: string, stored: unknown): Restored | undefined {
  const fields = asFields(stored)
  const baseline = fields && readBaseline(fields)
  if (!fields || (!baseline && asText(fields.template).trim() === '')) return undefined
  const track: Track = { ...newTrack(), ...readVerdict(fields), baseline: baseline ?? newBaseline(), extra: fields }
  track.firstSeenMs = asTime(fields.first_seen) ?? 0
  track.lastSeenMs = asTime(fields.last_seen) ?? track.firstSeenMs
  track.service = asText(fields.service)
  track.rule = asText(fields.rule_name)
  track.tags = asTexts(fields.tags)
  track.settlesAtMs = asTime(fields.settles_at) ?? 0
  track.episodes = readEpisodes(fields.episodes)
  track.open = readOpenTick(fields.open_tick)
  if (!baseline) track.baseline = baselineOf(asAmount(fields.baseline_frequency))
  const adoption: Adoption = {
    ...{ id: asText(fields.id) || key, source: asText(fields.source), lines: Math.floor(asAmount(fields.count)) },
    template: readTemplate(scan, fields),
    ...{ aliases: asTexts(fields.merged), pinned: track.knownBy === 'operator' },
  }
  return { adoption, track }
}

export function storePattern(
  scan: Scan,
  { id, template, source, lines, aliases, record }: Tracked,
  tick: number,
): StoredPattern {
  advanceTo(record, tick)
  const {
    parts: _parts,
    runs: _runs,
    merged: _merged,
    episodes: _episodes,
    open_tick: _open,
    settles_at: _settles,
    ...extra
  } = record.extra
  return {
    ...extra,
    ...{ id, template: template.text, source, count: lines },
    first_seen: timeText(record.firstSeenMs, record.extra.first_seen),
    last_seen: timeText(record.lastSeenMs, record.extra.last_seen),
    baseline_frequency: record.baseline.mean,
    ...{
      verdict: record.verdict,
      known_by: record.knownBy,
      rule_name: record.rule,
      service: record.service,
      tags: record.tags,
    },
    baseline: record.baseline,
    ...keep(scan, template),
    ...(record.settlesAtMs > 0 && { settles_at: timeText(record.settlesAtMs) }),
    ...(aliases.length > 0 && { merged: [...aliases] }),
    ...(hasEpisode(record.episodes) && { episodes: record.episodes }),
    ...(record.open.lines > 0 && { open_tick: record.open }),
  }
}

/** Ours when there is a baseline beside it. */
function readTemplate(scan: Scan, { template, parts, runs, baseline }: Fields): Template {
  const text = asText(template)
  if (!asFields(baseline)) return templateOfText(scan, text.replace(NAMED_HOLE, '<*>'))
  const capacities = Array.isArray(runs)
    ? runs.map((run) => Math.min(Math.max(1, Math.floor(asAmount(run))), MOST_IN_A_HOLE))
    : []
  return templateOfKept(scan, text, { parts: asTexts(parts), runs: capacities })
}
const MOST_IN_A_HOLE = 128

function readVerdict({ verdict, known_by }: Fields): { verdict: Verdict; knownBy: KnownBy } {
  const word = asText(verdict)
  const by = KNOWN_BY.includes(asText(known_by)) ? (asText(known_by) as KnownBy) : ''
  if (word === 'known') return { verdict: 'known', knownBy: by || 'operator' }
  if (IGNORED.includes(word)) return { verdict: 'ignored', knownBy: 'operator' }
  return { verdict: 'unknown', knownBy: by === 'operator' ? by : '' }
}

function readBaseline({ baseline }: Fields): Baseline | undefined {
  const fields = asFields(baseline)
  if (!fields) return undefined
  const recent = Array.isArray(fields.recent) ? fields.recent.slice(0, JUDGED_TICKS) : []
  return {
    ...{ ticks: asAmount(fields.ticks), mean: asAmount(fields.mean), square: asAmount(fields.square) },
    peak: asAmount(fields.peak),
    recent: recent.map((count) => (count === HELD ? HELD : asAmount(count))),
  }
}

/** Only the mean is known: it is taken for Poisson, and for young, so that what follows soon outweighs it. */
function baselineOf(mean: number): Baseline {
  return mean > 0 ? { ticks: 20, mean, square: mean + mean ** 2, peak: Math.ceil(2 * mean), recent: [] } : newBaseline()
}

function readEpisodes(stored: unknown): Episodes {
  const fields = asFields(stored)
  const [unknown, spike] = [readEpisode(fields?.unknown), readEpisode(fields?.spike)]
  return { ...(unknown && { unknown }), ...(spike && { spike }) }
}

function readEpisode(stored: unknown): Episode | undefined {
  const fields = asFields(stored)
  if (!fields) return undefined
  const mode = MODES.includes(asText(fields.mode)) ? (asText(fields.mode) as Mode) : 'detect'
  const { openedAtMs, notifiedAtMs, lastAtMs, count } = fields
  const [opened, notified, last] = [openedAtMs, notifiedAtMs, lastAtMs].map(asAmount)
  return { mode, openedAtMs: opened ?? 0, notifiedAtMs: notified ?? 0, lastAtMs: last ?? 0, count: asAmount(count) }
}

function readOpenTick(stored: unknown): Track['open'] {
  const fields = asFields(stored)
  if (!fields) return NO_LINES
  return {
    lines: Math.floor(asAmount(fields.lines)),
    samples: asTexts(fields.samples),
    services: asTexts(fields.services),
  }
}
