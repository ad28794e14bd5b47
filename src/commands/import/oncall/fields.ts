import { z } from 'zod'
import { isTimeZone } from '../../../config/sections/routes.ts'
import { timeWithZone } from '../../../text/iso-time.ts'

/** A text that may be absent or null. */
export const maybe = z.string().nullish()

/** A time of ISO 8601 with its zone; becomes epoch milliseconds. */
export const instant = z
  .string()
  .transform(timeWithZone)
  .refine((ms) => !Number.isNaN(ms), { error: 'must be a time with a zone, such as 2026-01-05T08:00:00Z' })

export const timeZone = z.string().refine(isTimeZone, { error: 'is not a time zone such as Europe/Berlin' })
