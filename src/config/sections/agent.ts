import { z } from 'zod'
import { duration, flag, fraction, hasGroup, list, oneOf, pattern, secret, text, whole } from '../fields.ts'
import { logSource } from './sources.ts'

const rule = z.object({ name: text(), pattern: pattern() })

const miner = z
  .object({
    similarity_threshold: fraction(0.4, [0, 1]),
    tree_depth: whole(4, [3, 32]),
    max_children: whole(100, [2, 100_000]),
    max_patterns: whole(10_000, [10, 10_000_000]),
  })
  .transform((raw) => ({
    similarityThreshold: raw.similarity_threshold,
    treeDepth: raw.tree_depth,
    maxChildren: raw.max_children,
    maxPatterns: raw.max_patterns,
  }))

const catalog = z
  .object({
    persist_interval: duration('30s'),
    auto_promote_after: whole(50, [0, 1_000_000_000]),
    spike_z: fraction(3, [0.1, 1_000]),
    spike_min_frequency: fraction(5, [0, 1_000_000_000]),
    spike_min_baseline_count: whole(20, [0, 1_000_000_000]),
  })
  .transform((raw) => ({
    persistIntervalMs: raw.persist_interval,
    /** Infinity: no number of sightings makes a pattern known. */
    autoPromoteAfter: raw.auto_promote_after || Number.POSITIVE_INFINITY,
    spikeZ: raw.spike_z,
    spikeMinFrequency: raw.spike_min_frequency,
    spikeMinBaselineCount: raw.spike_min_baseline_count,
  }))

const MOST_CALLS = 1_000_000
const NOT_A_TEMPERATURE = 'must be a number from 0 to 2, or -1 for that of the model'

const ai = z
  .object({
    enable: flag(false),
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
  .transform((raw) => ({
    enable: raw.enable,
    /** `openai`, or the path of a module that exports a backend. */
    backend: raw.backend,
    apiKey: raw.api_key,
    model: raw.model,
    maxCallsPerHour: raw.max_calls_per_hour || MOST_CALLS,
    cacheTtlMs: raw.cache_ttl,
    /** -1: that of the model. */
    temperature: raw.temperature,
    maxTokens: raw.max_tokens,
  }))

/** `agent`: the log agent. */
export const agent = z
  .object({
    enable: flag(false),
    mode: oneOf(['training', 'shadow', 'detect']),
    poll_interval: duration('30s'),
    new_service_grace: duration('30m', 0),
    renotify: duration('1h'),
    sources: list(logSource),
    sources_path: text(),
    redaction: z.object({ enable: flag(true), redact_ips: flag(false), extra_patterns: list(pattern()) }),
    regex: z.object({ default_pattern: pattern().default('(?i)error|exception|fatal|panic'), rules: list(rule) }),
    miner,
    catalog,
    service_patterns: list(pattern()),
    ai,
  })
  .transform((raw) => ({
    enable: raw.enable,
    mode: raw.mode,
    pollIntervalMs: raw.poll_interval,
    newServiceGraceMs: raw.new_service_grace,
    renotifyMs: raw.renotify,
    /** Includes the sources of the file `sources_path`. */
    sources: raw.sources,
    redaction: {
      enable: raw.redaction.enable,
      redactIps: raw.redaction.redact_ips,
      extraPatterns: raw.redaction.extra_patterns,
    },
    regex: { defaultPattern: raw.regex.default_pattern, rules: raw.regex.rules },
    miner: raw.miner,
    catalog: raw.catalog,
    servicePatterns: raw.service_patterns.filter(hasGroup),
    ai: raw.ai,
  }))
