import { z } from 'zod'
import type { McpSettings } from '../../mcp/options.ts'
import { camelKeys, flag, list, oneOf, secret } from '../../settings/fields.ts'
import { match } from './routes.ts'

const MIN_TOKEN = 24
const NOT_A_TOKEN = `must be ${MIN_TOKEN} to 255 visible ASCII characters, without blanks`
const NOT_A_NAME = 'must be 1 to 64 letters, digits or any of . _ @ -'

const token = z
  .object({
    name: z.string({ error: NOT_A_NAME }).regex(/^[\w.@-]{1,64}$/, { error: NOT_A_NAME }),
    token: secret().refine((given) => /^[\x21-\x7e]{24,255}$/.test(given), { error: NOT_A_TOKEN }),
    scope: oneOf(['read', 'act']),
    act_on: match,
    may_stop_pages: flag(false),
  })
  .transform(camelKeys)

const origin = z.string().refine((given) => URL.canParse(given) && new URL(given).origin === given, {
  error: 'must be an origin such as https://ops.example.org: scheme, host and port, without a path',
})
const host = z.string().regex(/^[a-z0-9.-]{1,253}$/, { error: 'must be the name of a host, in lower case' })

/** `mcp`: clients of the Model Context Protocol. Without a token there is no `/mcp`. */
export const mcp = z
  .object({ tokens: list(token), origins: list(origin), link_hosts: list(host) })
  .transform((given): McpSettings => camelKeys(given))
  .prefault({})
