import { z } from 'zod'
import { count, nonNegative, type Shape, time } from '../fields.ts'

const Problem = z.object({
  fingerprint: z.string(),
  title: z.string().describe('Of the latest incident, as service, severity and id'),
  service: z.string(),
  severity: z.string(),
  firing: count,
  resolved: count,
  last_incident_id: z.string(),
})

const ByHour = z
  .array(z.object({ at: time.describe('Begin of the hour'), count }))
  .describe('Hours with none are left out')

export const FatigueReport = z
  .object({
    from: time,
    to: time,
    counted_since: time.describe('Later than `from`: earlier incidents were deleted, or are beyond the bound'),
    time_zone: z.string().describe('Of the nights, 22:00 to 7:00'),
    incidents: count,
    destinations: z.array(
      z.object({
        destination: z.string().describe('`chatws`, or `chatws:payments`'),
        messages: count.describe('Confirmed messages: of incidents, and posted or edited updates of digests'),
        edits: count.describe('Of these, edits, which ring no bell'),
        at_night: count,
        by_hour: ByHour,
      }),
    ),
    notified: z.object({
      by_message: count.describe('Deliveries with a message of their own'),
      by_digest: count,
      waiting: count.describe('Not notified yet; those that a silence holds until its end included'),
      silenced: count.describe('Kept from the destination by a silence for good'),
      dead: count,
      share_by_digest: nonNegative.max(1).nullable().describe('null while nothing was notified'),
    }),
    pages: z.object({
      paged: count,
      at_night: count,
      never_acknowledged: count.describe('By nobody until now'),
      by_hour: ByHour,
    }),
    top: z.array(Problem).describe('Fingerprints with the most incidents'),
    flapping: z.array(Problem).describe('Fingerprints that fired and were resolved three times or more'),
    unused_silences: z
      .array(
        z.object({
          id: count,
          name: z.string(),
          text: z.string().describe('The conditions in words'),
          owner: z.string(),
          created_at: time,
          last_held_at: time.nullable().describe('null: it never held anything'),
        }),
      )
      .describe('Silences that have not ended and held nothing for 30 days'),
  })
  .describe('How many notifications people got in a time')
export type FatigueReport = Shape<typeof FatigueReport>
