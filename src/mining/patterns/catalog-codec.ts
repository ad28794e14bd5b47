import type { Verdict } from '../../domain/pattern-verdict.ts'
import type { KnownBy, Mode } from '../contract.ts'
import { type Baseline, EXCLUDED, JUDGED_TICKS, newBaseline } from '../detect/baseline.ts'
import { asAmount, asFields, asText, asTexts, asTime, type Fields, timeText } from '../fields.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import type { StoredCluster } from './miner.ts'
import {
  advanceTo,
  type Episode,
  type Episodes,
  hasEpisode,
  NO_LINES,
  newPatternState,
  type PatternState,
  type TrackedPattern,
} from './pattern-state.ts'
import { storedTemplateOf, type Template, templateOfStored, templateOfText } from './template.ts'

/** A decoded entry of patterns.json: the part for the miner, and the state kept with the pattern. */
interface DecodedPattern {
  readonly cluster: StoredCluster
  readonly state: PatternState
}

const KNOWN_BY: readonly string[] = ['training', 'grace', 'count', 'operator'] satisfies KnownBy[]
const IGNORED: readonly string[] = ['ignored', 'ignore', 'muted']
const MODES: readonly string[] = ['training', 'shadow', 'detect'] satisfies Mode[]

/** Wildcards of other tools, read as `<*>`. */
const NAMED_WILDCARD =
  /<:?(?:\*|NUM|NUMBER|INT|FLOAT|IP|IPV4|IPV6|HEX|UUID|ID|SEQ|TIME|TIMESTAMP|DATE|DURATION|PATH|FILE|URL|EMAIL|MAC|HOST|PORT|SIZE|STR|STRING|USER|VAR|CMD):?>/g

/**
 * Decodes an entry of patterns.json. Entries of an earlier version hold only a template and a few counts. Returns
 * undefined when the entry cannot be used.
 */
export function decodePattern(tokenizer: Tokenizer, key: string, stored: unknown): DecodedPattern | undefined {
  const fields = asFields(stored)
  const baseline = fields && decodeBaseline(fields)
  if (!fields || (!baseline && asText(fields.template).trim() === '')) return undefined
  const firstSeenMs = asTime(fields.first_seen) ?? 0
  const state: PatternState = {
    ...newPatternState(),
    ...decodeVerdict(fields),
    firstSeenMs,
    lastSeenMs: asTime(fields.last_seen) ?? firstSeenMs,
    service: asText(fields.service),
    rule: asText(fields.rule_name),
    tags: asTexts(fields.tags),
    burstsFromMs: asTime(fields.settles_at) ?? 0,
    episodes: decodeEpisodes(fields.episodes),
    open: decodeOpenTick(fields.open_tick),
    baseline: baseline ?? baselineOf(asAmount(fields.baseline_frequency)),
    extra: fields,
  }
  const cluster: StoredCluster = {
    id: asText(fields.id) || key,
    source: asText(fields.source),
    lines: Math.floor(asAmount(fields.count)),
    template: decodeTemplate(tokenizer, fields),
    aliases: asTexts(fields.merged),
    pinned: state.knownBy === 'operator',
  }
  return { cluster, state }
}

/**
 * Returns an entry of patterns.json, with the unknown fields of the stored one.
 * @param tick number of the last closed tick of the pattern's source
 */
export function encodePattern(
  tokenizer: Tokenizer,
  { id, template, source, lines, aliases, state }: TrackedPattern,
  tick: number,
) {
  advanceTo(state, tick)
  const {
    parts: _parts,
    runs: _runs,
    merged: _merged,
    episodes: _episodes,
    open_tick: _open,
    settles_at: _settles,
    ...extra
  } = state.extra
  return {
    ...extra,
    id,
    template: template.text,
    source,
    count: lines,
    first_seen: timeText(state.firstSeenMs, state.extra.first_seen),
    last_seen: timeText(state.lastSeenMs, state.extra.last_seen),
    baseline_frequency: state.baseline.mean,
    verdict: state.verdict,
    known_by: state.knownBy,
    rule_name: state.rule,
    service: state.service,
    tags: state.tags,
    baseline: state.baseline,
    ...storedTemplateOf(tokenizer, template),
    ...(state.burstsFromMs > 0 && { settles_at: timeText(state.burstsFromMs) }),
    ...(aliases.length > 0 && { merged: [...aliases] }),
    ...(hasEpisode(state.episodes) && { episodes: state.episodes }),
    ...(state.open.lines > 0 && { open_tick: state.open }),
  }
}

/** An entry without a baseline is of an earlier version or another tool: its template may hold other wildcards. */
function decodeTemplate(tokenizer: Tokenizer, { template, parts, runs, baseline }: Fields): Template {
  const text = asText(template)
  if (!asFields(baseline)) return templateOfText(tokenizer, text.replace(NAMED_WILDCARD, '<*>'))
  const capacities = Array.isArray(runs)
    ? runs.map((run) => Math.min(Math.max(1, Math.floor(asAmount(run))), MAX_RUN_TOKENS))
    : []
  return templateOfStored(tokenizer, text, { parts: asTexts(parts), runs: capacities })
}
const MAX_RUN_TOKENS = 128

function decodeVerdict({ verdict, known_by }: Fields): { verdict: Verdict; knownBy: KnownBy } {
  const word = asText(verdict)
  const by = KNOWN_BY.includes(asText(known_by)) ? (asText(known_by) as KnownBy) : ''
  if (word === 'known') return { verdict: 'known', knownBy: by || 'operator' }
  if (IGNORED.includes(word)) return { verdict: 'ignored', knownBy: 'operator' }
  return { verdict: 'unknown', knownBy: by === 'operator' ? by : '' }
}

function decodeBaseline({ baseline }: Fields): Baseline | undefined {
  const fields = asFields(baseline)
  if (!fields) return undefined
  const recent = Array.isArray(fields.recent) ? fields.recent.slice(0, JUDGED_TICKS) : []
  return {
    ticks: asAmount(fields.ticks),
    mean: asAmount(fields.mean),
    square: asAmount(fields.square),
    peak: asAmount(fields.peak),
    recent: recent.map((count) => (count === EXCLUDED ? EXCLUDED : asAmount(count))),
  }
}

/** Builds a baseline from a mean alone: a Poisson distribution over 20 ticks, so that new ticks soon outweigh it. */
function baselineOf(mean: number): Baseline {
  return mean > 0 ? { ticks: 20, mean, square: mean + mean ** 2, peak: Math.ceil(2 * mean), recent: [] } : newBaseline()
}

function decodeEpisodes(stored: unknown): Episodes {
  const fields = asFields(stored)
  const [unknown, spike] = [decodeEpisode(fields?.unknown), decodeEpisode(fields?.spike)]
  return { ...(unknown && { unknown }), ...(spike && { spike }) }
}

function decodeEpisode(stored: unknown): Episode | undefined {
  const fields = asFields(stored)
  if (!fields) return undefined
  const mode = MODES.includes(asText(fields.mode)) ? (asText(fields.mode) as Mode) : 'detect'
  const count = asAmount(fields.count)
  return {
    mode,
    openedAtMs: asAmount(fields.openedAtMs),
    notifiedAtMs: asAmount(fields.notifiedAtMs),
    lastAtMs: asAmount(fields.lastAtMs),
    count,
    // An episode of an earlier version does not say; its largest tick had at most all its lines.
    loudest: fields.loudest === undefined ? count : asAmount(fields.loudest),
  }
}

function decodeOpenTick(stored: unknown): PatternState['open'] {
  const fields = asFields(stored)
  if (!fields) return NO_LINES
  return {
    lines: Math.floor(asAmount(fields.lines)),
    samples: asTexts(fields.samples),
    services: asTexts(fields.services),
  }
}
