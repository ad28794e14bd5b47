import { z } from 'zod'
import { SEVERITY_LEVELS, severityRank } from '../../domain/severity.ts'
import {
  camelKeys,
  duration,
  flag,
  fraction,
  list,
  oneOf,
  requiredDuration,
  secret,
  text,
  whole,
} from '../../settings/fields.ts'
import { group } from './group.ts'

/** `http`: the HTTP front. */
export const http = z
  .object({
    max_body_bytes: whole(1_048_576, [1_024, 64 * 1_048_576]),
    threads: whole(1, [1, 64]),
    /** Empty: `POST /api/incidents` needs no token. */
    intake_token: secret(),
    max_inflight: whole(4_096, [1, 1_000_000]),
    /** A query parameter without effect refuses the request. */
    strict_parameters: flag(false),
  })
  .transform(camelKeys)

/** `delivery`: retries, deadline and circuit breaker, the same for all channels. */
export const delivery = z
  .object({
    attempts: whole(12, [1, 100_000]),
    backoff: z.object({ initial: duration('1s'), max: duration('5m') }),
    timeout: duration('10s'),
    circuit: z.object({ failures: whole(5, [1, 1_000_000]), open_for: duration('30s') }),
    failover_after: duration('2m', 1_000),
  })
  .transform((raw) => ({
    retry: { attempts: raw.attempts, initialMs: raw.backoff.initial, maxMs: raw.backoff.max },
    timeoutMs: raw.timeout,
    circuit: { failures: raw.circuit.failures, openForMs: raw.circuit.open_for },
    /** Time for which a circuit is open before `on_failure` counts. */
    failoverAfterMs: raw.failover_after,
  }))

/** `templates`: the render pool. */
export const templates = z
  .object({ deadline: duration('500ms'), env_allow: list(text()), watch: flag(true), threads: whole(0, [0, 64]) })
  .transform((raw) => ({
    deadlineMs: raw.deadline,
    /** Environment variables that a template may read. */
    envAllow: raw.env_allow,
    watch: raw.watch,
    /** 0: cores minus one, at least one. */
    threads: raw.threads,
  }))

/** `metrics`: port 0 is the main port. */
/** `brief`: the history of problems, for the brief of one. */
export const brief = z.object({ enable: flag(false), openings: whole(20_000, [100, 250_000]) })
export const metrics = z.object({ enable: flag(true), port: whole(0, [0, 65_535]) })

/** `log`: the first level is the default. */
export const log = z.object({ level: oneOf(['info', 'debug', 'warn', 'error']) })

/** `slo`: the objective of telling in time; without `notified_within` there is none. */
export const slo = z
  .object({
    notified_within: z
      .union([z.literal(''), requiredDuration(1_000)], {
        error: 'must be a time from 1s to 365d, such as "60s", or empty',
      })
      .default(''),
    objective: fraction(99.9, [50, 99.999]),
  })
  .transform(({ notified_within, objective }) =>
    notified_within === ''
      ? undefined
      : { toldWithinMs: notified_within, objective: Number((objective / 100).toFixed(6)) },
  )

/** A reply is dropped after 10 minutes. */
const LONGEST_REPLY_MS = 300_000

/**
 * `noise.storm`: defaults of all channels. `noise.repeats`: messages about problems that fire already. `noise.flapping`: one
 * message about a problem that flaps. `noise.group`: one message about problems with equal values; absent after `none`.
 * `noise.brief`: a reply in threads; absent after `off`.
 */
export const noise = z
  .object({
    storm: z.object({ enable: flag(true), within: duration('60s', 10_000) }),
    repeats: z.object({ mode: oneOf(['each', 'fold']), remind: duration('4h', 60_000) }),
    flapping: z.object({ enable: flag(false) }),
    group: group.prefault('none'),
    brief: z.object({
      mode: oneOf(['off', 'thread']),
      min_level: z.enum(SEVERITY_LEVELS, { error: `must be one of ${SEVERITY_LEVELS.join(', ')}` }).default('high'),
      after: duration('5s').refine((ms) => ms <= LONGEST_REPLY_MS, { error: 'must be at most 5m' }),
    }),
  })
  .transform(({ storm, repeats, flapping, group, brief }) => ({
    storm: { enable: storm.enable, withinMs: storm.within },
    repeats: { mode: repeats.mode, remindMs: repeats.remind },
    flapping,
    ...(group !== 'none' && { group }),
    ...(brief.mode === 'thread' && {
      briefReplies: { afterMs: brief.after, minLevel: severityRank(brief.min_level) },
    }),
  }))
