import { z } from 'zod'
import type { HeartbeatSettings } from '../../policy/heartbeat.ts'
import { cronStarts } from '../../policy/schedule.ts'
import { duration, requiredDuration, secret, text } from '../../settings/fields.ts'
import { isTimeZone, match, name, reported } from './routes.ts'

const MAX_HEARTBEATS = 1_000
const SHORTEST_MS = 1_000

const SLUG = /^[a-z0-9_-]{1,64}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const heartbeat = z
  .object({
    name,
    match,
    slug: text().refine((slug) => slug === '' || SLUG.test(slug), {
      error: 'must be 1 to 64 lower-case letters, digits, _ or -',
    }),
    uuid: secret(),
    every: requiredDuration(SHORTEST_MS).optional(),
    cron: text(),
    time_zone: text(),
    grace: duration('2m', SHORTEST_MS),
    max_run: requiredDuration(SHORTEST_MS).optional(),
    severity: text('critical'),
  })
  .transform(
    ({ name, match, slug, uuid, every, cron, time_zone, grace, max_run, severity }, ctx): HeartbeatSettings => {
      const refuse = (key: string, message: string) => ctx.addIssue({ code: 'custom', path: [key], message })
      const timeZone = time_zone || 'UTC'
      // The message does not quote it: it is a secret.
      if (uuid !== '' && !UUID.test(uuid)) refuse('uuid', 'must be a UUID; "uuidgen" makes one')
      if (cron === '' && every === undefined) refuse('every', 'is missing; a heartbeat at set times has a "cron"')
      if (cron !== '' && every !== undefined) refuse('cron', 'has no place beside "every"')
      if (cron === '' && time_zone !== '') refuse('time_zone', 'has no effect without a "cron"')
      if (!isTimeZone(timeZone)) refuse('time_zone', 'is not a time zone such as Europe/Berlin')
      else if (cron !== '') reported(ctx, ['cron'], () => cronStarts(cron, timeZone))
      return {
        name,
        where: '',
        conditions: match,
        ...(slug !== '' && { slug }),
        ...(uuid !== '' && { uuid: uuid.toLowerCase() }),
        ...(every !== undefined && { everyMs: every }),
        ...(cron !== '' && { cron: { times: cron, timeZone } }),
        graceMs: grace,
        maxRunMs: max_run ?? grace,
        severity,
      }
    },
  )

/** `heartbeats`: incidents or pings that must come again and again. Places in the file are filled in by `completed`. */
export const heartbeats = z.array(heartbeat, { error: 'must be a list' }).max(MAX_HEARTBEATS).default([])
