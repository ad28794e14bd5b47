import { z } from 'zod'
import { camelKeys, duration, flag, httpUrl, list, oneOf, pattern, secret, text } from '../../settings/fields.ts'

const NAME = /^[\w.-]{1,64}$/

const file = z
  .object({
    path: text(),
    from_beginning: flag(false),
    format: oneOf(['text', 'json']),
    /** Used with the format `json`. */
    message_field: text('message'),
    multiline: flag(true),
    event_start: pattern().default(''),
  })
  .transform(camelKeys)

const loki = z
  .object({
    address: httpUrl(),
    query: text(),
    username: text(),
    password: secret(),
    token: secret(),
    tenant_id: text().refine((id) => /^[\x21-\x7e]{0,512}$/.test(id), {
      error: 'must be printable ASCII without spaces, at most 512 characters',
    }),
  })
  .transform(camelKeys)

const elasticsearch = z
  .object({
    addresses: z.array(httpUrl(), { error: 'must be a list of addresses' }).default([]),
    index: text('logs-*'),
    time_field: text('@timestamp'),
    query: text('*'),
    message_field: text('message'),
    extra_fields: list(text()),
    severity_field: text(),
    reorder_window: duration('3s', 0),
    username: text(),
    password: secret(),
    api_key: secret(),
  })
  .transform(({ severity_field, extra_fields, reorder_window: reorderWindowMs, ...raw }) => ({
    ...camelKeys(raw),
    extraFields: [...new Set([severity_field, ...extra_fields])].filter((path) => path !== ''),
    reorderWindowMs,
  }))

/** One entry of `agent.sources`. Only the block that is named like its type counts. */
export const logSource = z.object({
  name: z.string({ error: 'must be text' }).regex(NAME, { error: 'must be 1 to 64 letters, digits or any of . _ -' }),
  type: z.enum(['file', 'http', 'loki', 'elasticsearch'], { error: 'must be one of file, http, loki, elasticsearch' }),
  enable: flag(true),
  file,
  loki,
  elasticsearch,
})
