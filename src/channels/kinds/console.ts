import { z } from 'zod'
import type { ChannelKind } from '../channel.ts'

const options = z.object({})

export type ConsoleOptions = z.output<typeof options>

/** Prints messages in a frame on standard output. It is enabled when no other channel is. */
export const console: ChannelKind<ConsoleOptions> = {
  name: 'console',
  options,
  text: { escaping: 'none', limit: { max: 20_000, unit: 'utf16' } },
  defaults: { concurrency: 1, rate: { perSecond: 1_000, burst: 1_000 } },
}
