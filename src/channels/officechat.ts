import { z } from 'zod'
import type { ChannelKind } from './channel.ts'
import { others, secretUrl } from './options.ts'

const FORMATS = ['auto', 'message', 'text', 'adaptive_card'] as const
const format = z.enum(FORMATS, { error: `must be one of ${FORMATS.join(', ')}` }).default('auto')
const flow = z
  .union([secretUrl(), z.object({ url: secretUrl(), format })], {
    error: 'must be an address, or a map of url and format',
  })
  .meta({ secret: true })

const options = z
  .object({ flow_url: secretUrl().default(''), other_flow_urls: others(flow), format })
  .transform((raw) => ({ flowUrl: raw.flow_url, others: raw.other_flow_urls, format: raw.format }))

export const officechat: ChannelKind<z.output<typeof options>> = {
  name: 'officechat',
  options,
  text: { escaping: 'none', limit: { max: 26_000, unit: 'json-bytes' } },
  defaults: { concurrency: 4, rate: { perSecond: 1, burst: 4 } },
  create: () => {
    throw new Error('not built yet')
  },
}
