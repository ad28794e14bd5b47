import { z } from 'zod'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import { channelName, count, nextCursor, type Shape, time } from '../fields.ts'

const DIGEST_STATES = ['open', 'closed', 'dead'] as const

export const DigestRecord = z
  .object({
    number: count,
    kind: z
      .enum(['storm', 'repeats', 'flapping', 'group'])
      .describe(
        '`repeats`: of one problem that fires; `flapping`: of one that flaps; `group`: of problems with equal values; storms and groups are listed',
      ),
    channel: channelName,
    target: z.string().nullable().describe('Name of the destination; null for the default one'),
    state: z
      .enum(DIGEST_STATES)
      .describe('`open` while the storm lasts, or a problem of it fires; `dead`: the provider refused it for good'),
    opened_at: time,
    closed_at: time.nullable(),
    incidents: count.describe('Incidents with a place in it'),
    notified: count.describe('Incidents that a confirmed update covers'),
    problems: count.describe('Different fingerprints'),
    urgent: z.boolean().describe('Something urgent waits: the next update is posted, not edited'),
    update: count.describe('Number of the last update; 0 before the first'),
    posted_at: time.nullable().describe('Last time that a message of its own was posted'),
    next_update_at: time.nullable().describe('null while no incident waits'),
    dead_reason: z.string().nullable(),
    may_duplicate: z.boolean().describe('An update of unknown outcome may have arrived'),
  })
  .describe('A digest: one message about many incidents, each of which has a numbered place in it')
export type DigestRecord = Shape<typeof DigestRecord>

export const DigestProblem = z
  .object({
    fingerprint: z.string(),
    title: z.string(),
    service: z.string(),
    severity: z.string().describe('The loudest of its incidents, as one of five levels'),
    status: z.enum(['firing', 'resolved']).describe('As its last incident reported it'),
    firing: count.describe('Places of firing incidents'),
    resolved: count,
    by_message: count.describe('Incidents of it meanwhile with a message of their own'),
    notified: count.describe('Incidents of it that a confirmed update covers'),
    first_incident_id: z.string(),
    first_at: time,
    last_incident_id: z.string(),
    last_at: time,
  })
  .describe('Incidents of one fingerprint in a digest; kept when retention deletes the incidents')
export type DigestProblem = Shape<typeof DigestProblem>

export const DigestUpdate = z.object({
  number: count,
  through: count.describe('Last place that it covers'),
  way: z.enum(['post', 'edit']).describe('`post` is a new message; `edit` changes the last one'),
  notified_at: time,
  message_id: z.string().nullable(),
})
export type DigestUpdate = Shape<typeof DigestUpdate>

export const DigestDetail = DigestRecord.extend({
  severities: z
    .object(
      Object.fromEntries(SEVERITY_LEVELS.map((level) => [level, count])) as Record<
        (typeof SEVERITY_LEVELS)[number],
        typeof count
      >,
    )
    .describe(
      'Firing incidents of the storm or group by the loudest severity of their problem, those with a message of their own included',
    ),
  resolved: count,
  by_message: count.describe('Incidents of the storm or group with a message of their own'),
  problem_list: z
    .array(DigestProblem)
    .describe(
      'Those that fire first, then the loudest, then those that no message covers, then the most frequent; at most 1,000',
    ),
  updates: z.array(DigestUpdate).describe('Newest first; at most 200'),
  text: z.string().nullable().describe('The text that was sent last'),
  stored: count.describe(
    'Incidents of it that are still stored and in no later digest: retention deletes those that were notified, and a replay of a dead digest moves the others to another',
  ),
}).describe('A digest with its problems and updates')
export type DigestDetail = Shape<typeof DigestDetail>

/** Newest first. */
export const DigestPage = z.object({ digests: z.array(DigestRecord), next_cursor: nextCursor })
export type DigestPage = Shape<typeof DigestPage>

export const DigestPlace = z
  .object({
    place: z.int().min(1),
    incident_id: z.string(),
    title: z.string(),
    service: z.string(),
    severity: z.string(),
    status: z.enum(['firing', 'resolved']),
    created_at: time,
    update: count.nullable().describe('The first update that covers it; null: none yet'),
    notified_at: time.nullable(),
  })
  .describe('One incident in a digest')
export type DigestPlace = Shape<typeof DigestPlace>

/** In order of place. */
export const DigestPlacePage = z.object({
  places: z
    .array(DigestPlace)
    .describe(
      'Without incidents that retention has deleted, and those of a dead digest that a replay moved to another digest',
    ),
  next_cursor: nextCursor,
})
export type DigestPlacePage = Shape<typeof DigestPlacePage>
