import { z } from 'zod'
import {
  camelKeys,
  duration,
  flag,
  fraction,
  hasGroup,
  list,
  oneOf,
  pattern,
  secret,
  text,
  whole,
} from '../../settings/fields.ts'
import { logSource } from './sources.ts'

const rule = z.object({ name: text(), pattern: pattern() })

/** Parameters of another miner are accepted, so that configurations written for it load; they have no effect. */
const miner = z
  .object({
    similarity_threshold: fraction(0.4, [0, 1]),
    tree_depth: whole(4, [3, 32]),
    max_children: whole(100, [2, 100_000]),
    max_patterns: whole(10_000, [10, 10_000_000]),
  })
  .transform((raw) => ({ maxPatterns: raw.max_patterns }))

const catalog = z
  .object({
    persist_interval: duration('30s'),
    auto_promote_after: whole(50, [0, 1_000_000_000]),
    spike_z: fraction(3, [0.1, 1_000]),
    spike_min_frequency: fraction(5, [0, 1_000_000_000]),
    spike_min_baseline_count: whole(20, [0, 1_000_000_000]),
  })
  .transform(({ persist_interval: persistIntervalMs, auto_promote_after, ...raw }) => ({
    ...camelKeys(raw),
    persistIntervalMs,
    /** Infinity: no number of sightings makes a pattern known. */
    autoPromoteAfter: auto_promote_after || Number.POSITIVE_INFINITY,
  }))

const MOST_CALLS = 1_000_000
const NOT_A_TEMPERATURE = 'must be a number from 0 to 2, or -1 for that of the model'

const ai = z
  .object({
    enable: flag(false),
    /** `openai`, or the path of a module that exports a backend. */
    backend: text('openai'),
    api_key: secret(),
    model: text('gpt-4o-mini'),
    max_calls_per_hour: whole(60, [0, MOST_CALLS]),
    cache_ttl: duration('1h', 0),
    temperature: z
      .number({ error: NOT_A_TEMPERATURE })
      .refine((value) => value === -1 || (value >= 0 && value <= 2), { error: NOT_A_TEMPERATURE })
      .default(0.2),
    max_tokens: whole(1_024, [16, 1_000_000]),
  })
  .transform(({ max_calls_per_hour, cache_ttl: cacheTtlMs, ...raw }) => ({
    ...camelKeys(raw),
    maxCallsPerHour: max_calls_per_hour || MOST_CALLS,
    cacheTtlMs,
  }))

/** `agent`: the log agent. */
export const agent = z
  .object({
    enable: flag(false),
    mode: oneOf(['training', 'shadow', 'detect']),
    poll_interval: duration('30s'),
    new_service_grace: duration('30m', 0),
    renotify: duration('1h'),
    /** Includes the sources of the file `sources_path`. */
    sources: list(logSource),
    sources_path: text(),
    redaction: z
      .object({ enable: flag(true), redact_ips: flag(false), extra_patterns: list(pattern()) })
      .transform(camelKeys),
    regex: z
      .object({ default_pattern: pattern().default('(?i)error|exception|fatal|panic'), rules: list(rule) })
      .transform(camelKeys),
    miner,
    catalog,
    service_patterns: list(pattern()),
    ai,
  })
  .transform(({ poll_interval, new_service_grace, renotify, sources_path: _path, service_patterns, ...raw }) => ({
    ...raw,
    pollIntervalMs: poll_interval,
    newServiceGraceMs: new_service_grace,
    renotifyMs: renotify,
    servicePatterns: service_patterns.filter(hasGroup),
  }))
