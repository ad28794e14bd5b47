import { z } from 'zod'
import { camelKeys, duration, flag, named, secret, whole } from '../../settings/fields.ts'

const MIN_KEY = 16
const KEY = /^[\x21-\x7e]{16,255}$/
const NOT_A_KEY = `must be ${MIN_KEY} to 255 visible ASCII characters, without blanks`

/** A key that a sender shows. */
const key = () => secret().refine((given) => KEY.test(given), { error: NOT_A_KEY })

/** `intake`: the doors in the shape of other programs' APIs. PagerDuty, Opsgenie and pings are off without a key. */
export const intake = z
  .object({
    alertmanager: z
      .object({
        enable: flag(true),
        /** For how long an alert without `endsAt` fires when it is not sent again. */
        resolve_timeout: duration('5m', 1_000),
        /** For how long alerts fire after a start without being sent again. */
        start_grace: duration('15m', 1_000),
        max_alerts: whole(50_000, [1, 1_000_000]),
        max_body_bytes: whole(8_388_608, [1_024, 64 * 1_048_576]),
      })
      .transform(({ resolve_timeout, start_grace, ...raw }) => ({
        ...camelKeys(raw),
        resolveTimeoutMs: resolve_timeout,
        startGraceMs: start_grace,
      }))
      .prefault({}),
    pagerduty: z
      .object({ routing_keys: named(key()) })
      .transform(camelKeys)
      .prefault({}),
    opsgenie: z
      .object({ api_keys: named(key()) })
      .transform(camelKeys)
      .prefault({}),
    pings: z
      .object({ key: secret().refine((given) => given === '' || KEY.test(given), { error: NOT_A_KEY }) })
      .prefault({}),
  })
  .prefault({})
