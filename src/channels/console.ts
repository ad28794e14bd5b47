import { z } from 'zod'
import type { ChannelKind } from './channel.ts'

const options = z.object({})

export const console: ChannelKind<z.output<typeof options>> = {
  name: 'console',
  options,
  text: { escaping: 'none', limit: { max: 20_000, unit: 'utf16' } },
  defaults: { concurrency: 1, rate: { perSecond: 1_000, burst: 1_000 } },
  create: () => {
    throw new Error('not built yet')
  },
}
