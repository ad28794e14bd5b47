import { z } from 'zod'
import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery.ts'
import type { RouteDestination } from '../../policy/route.ts'

/** A channel, or one of its other destinations, as a file writes it. */
export const destination = z.union([z.string(), z.record(z.string(), z.string())], {
  error: 'must be a channel, or a channel and the name of another destination, such as { chatws: ops }',
})

/** `refuse` reports what is wrong; its result is returned. */
export function destinationOf(
  given: z.output<typeof destination>,
  refuse: (message: string) => never,
): RouteDestination {
  const entries = typeof given === 'string' ? [[given, undefined] as const] : Object.entries(given)
  const [[name, target] = ['', undefined]] = entries
  if (entries.length !== 1) return refuse('must hold one channel; write each in an entry of its own')
  if (!isChannel(name)) return refuse(`is no channel; known: ${CHANNEL_NAMES.join(', ')}`)
  return { channel: name, ...(target !== undefined && { target }) }
}

export const isChannel = (name: string): name is ChannelName => CHANNEL_NAMES.some((known) => known === name)
