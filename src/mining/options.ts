import { z } from 'zod'
import {
  camelKeys,
  duration,
  flag,
  fraction,
  hasGroup,
  httpUrl,
  list,
  oneOf,
  pattern,
  secret,
  text,
  whole,
} from '../settings/fields.ts'

const NAME = /^[\w.-]{1,64}$/

const file = z
  .object({
    path: text(),
    /**
     * Read a file that exists at the first pull from its beginning instead of its end. A file created later is always
     * read whole.
     */
    from_beginning: flag(false),
    format: oneOf(['text', 'json']),
    /** Dotted path of the text within a JSON record. */
    message_field: text('message'),
    /** Join continuation lines to one event; ignored with `json`. */
    multiline: flag(true),
    /** Lines that begin an event; '': lines that are not indented. */
    event_start: pattern().default(''),
  })
  .transform(camelKeys)

const loki = z
  .object({
    address: httpUrl(),
    query: text(),
    username: text(),
    password: secret(),
    /** Bearer token; takes precedence over user name and password. */
    token: secret(),
    /** Tenant whose entries are read, for a Loki with several; empty: none is named. */
    tenant_id: text().refine((id) => /^[\x21-\x7e]{0,512}$/.test(id), {
      error: 'must be printable ASCII without spaces, at most 512 characters',
    }),
  })
  .transform(camelKeys)

const elasticsearch = z
  .object({
    /** Nodes of one cluster. When one cannot be reached, the next is tried. */
    addresses: z.array(httpUrl(), { error: 'must be a list of addresses' }).default([]),
    index: text('logs-*'),
    time_field: text('@timestamp'),
    /** A query of type `query_string`. */
    query: text('*'),
    message_field: text('message'),
    /** Dotted paths of fields whose values stand behind the text of each event. */
    extra_fields: list(text()),
    severity_field: text(),
    /**
     * Documents younger than this are left for a later query, so that those that arrive late are read in their order. A
     * document is found once its index is refreshed, by default every second.
     */
    reorder_window: duration('3s', 0),
    username: text(),
    password: secret(),
    /** Takes precedence over user name and password. */
    api_key: secret(),
  })
  .transform(({ severity_field, extra_fields, reorder_window: reorderWindowMs, ...raw }) => ({
    ...camelKeys(raw),
    extraFields: [...new Set([severity_field, ...extra_fields])].filter((path) => path !== ''),
    reorderWindowMs,
  }))

const otlp = z
  .object({
    /** Bearer token of the senders. */
    token: secret(),
    /** Attributes of a record whose values stand behind its text. */
    extra_fields: list(text()),
  })
  .transform(camelKeys)

/** One entry of `agent.sources`. Only the block that is named like its type counts. */
export const logSource = z.object({
  name: z.string({ error: 'must be text' }).regex(NAME, { error: 'must be 1 to 64 letters, digits or any of . _ -' }),
  type: z.enum(['file', 'http', 'otlp', 'loki', 'elasticsearch'], {
    error: 'must be one of file, http, otlp, loki, elasticsearch',
  }),
  enable: flag(true),
  file,
  otlp,
  loki,
  elasticsearch,
})

export type SourceOptions = Omit<z.output<typeof logSource>, 'enable'>

const rule = z.object({ name: text(), pattern: pattern() })

/** Parameters of another miner are accepted, so that configurations written for it load; they have no effect. */
export const miner = z
  .object({
    similarity_threshold: fraction(0.4, [0, 1]),
    tree_depth: whole(4, [3, 32]),
    max_children: whole(100, [2, 100_000]),
    max_patterns: whole(10_000, [10, 10_000_000]),
  })
  .transform((raw) => ({ maxPatterns: raw.max_patterns }))

export const catalog = z
  .object({
    persist_interval: duration('30s'),
    /** Number of lines after which an unknown pattern becomes known. */
    auto_promote_after: whole(50, [0, 1_000_000_000]),
    /** Sensitivity to bursts: 3 stands for the tail probability 1e-7; a higher value reports less. */
    spike_z: fraction(3, [0.1, 1_000]),
    /** A tick with fewer lines than this is never a spike. */
    spike_min_frequency: fraction(5, [0, 1_000_000_000]),
    /** Lines that a pattern must have had in all before its bursts are reported. */
    spike_min_baseline_count: whole(20, [0, 1_000_000_000]),
  })
  .transform(({ persist_interval: persistIntervalMs, auto_promote_after, ...raw }) => ({
    ...camelKeys(raw),
    persistIntervalMs,
    /** Infinity: no number of sightings makes a pattern known. */
    autoPromoteAfter: auto_promote_after || Number.POSITIVE_INFINITY,
  }))

/** Preparation of lines before they are learned. Patterns are in the syntax of RE2. */
export const preparation = {
  /** Masking. Of `extra_patterns` the whole match is masked. */
  redaction: z
    .object({ enable: flag(true), redact_ips: flag(false), extra_patterns: list(pattern()) })
    .transform(camelKeys),
  /** The default pattern is tried after the rules. */
  regex: z
    .object({ default_pattern: pattern().default('(?i)error|exception|fatal|panic'), rules: list(rule) })
    .transform(camelKeys),
  service_patterns: list(pattern()).transform((patterns) => patterns.filter(hasGroup)),
}

export interface PrepareOptions {
  readonly redaction: z.output<typeof preparation.redaction>
  readonly regex: z.output<typeof preparation.regex>
  readonly servicePatterns: readonly string[]
}

/** The sections `agent.miner` and `agent.catalog`, and two durations. */
export interface DetectorOptions {
  readonly miner: z.output<typeof miner>
  readonly catalog: Omit<z.output<typeof catalog>, 'persistIntervalMs'>
  readonly renotifyMs: number
  readonly newServiceGraceMs: number
}
