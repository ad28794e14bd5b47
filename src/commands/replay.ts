import { setTimeout as pause } from 'node:timers/promises'
import type { ReplayAnswer } from '../api/delivery.ts'
import { CHANNEL_NAMES } from '../domain/delivery/delivery.ts'
import { ServiceError, UsageError } from './command.ts'
import { DeadLetterBatch, type DeadLetterFilter, deliveryKeysIn, keyOf } from './dead-letters.ts'
import { defineCommand } from './define-command.ts'
import { follow } from './follow.ts'
import { progressBar } from './progress.ts'
import { callApi, SERVICE, type Service, serviceOf } from './service.ts'

export const replay = defineCommand({
  name: 'replay',
  summary: 'send dead letters again',
  about: `Has a running service send its dead letters again, and waits until each of them is sent or dead again; on a terminal a bar shows
the progress. The exit code is 1 when any is dead again. The secret is read from GATEWAY_SECRET or the configuration.`,
  options: {
    channel: { value: 'NAME', description: `only dead letters of this channel; one of ${CHANNEL_NAMES.join(', ')}` },
    id: { value: 'ID', description: 'only dead letters of this incident' },
    'no-wait': { description: 'do not wait for the outcome' },
    ...SERVICE,
  },
  async run(parsedArguments) {
    const filter = { channel: channelOf(parsedArguments.channel), id: parsedArguments.id }
    const service = serviceOf(parsedArguments)
    const dead = await deliveryKeysIn(service, 'dead', filter)
    if (dead.size === 0) {
      console.log('there are no dead letters')
      return 0
    }
    if (!parsedArguments['no-wait']) return waitFor(service, filter, new DeadLetterBatch(dead))
    console.log(`${await replayDead(service, filter)} of ${dead.size} dead letters are sent again`)
    return 0
  },
})

function channelOf(name: string | undefined): string | undefined {
  if (name === undefined || CHANNEL_NAMES.some((known) => known === name)) return name
  throw new UsageError(`--channel must be one of ${CHANNEL_NAMES.join(', ')}`)
}

/**
 * Has the service replay dead letters; returns how many it accepted: at most half of what its backlog has room for, and
 * none of a channel that is not enabled.
 */
async function replayDead(service: Service, { channel, id }: DeadLetterFilter): Promise<number> {
  const json = { state: 'dead', ...(channel && { channel }), ...(id && { id }) }
  return (await callApi<ReplayAnswer>(service, '/api/admin/deliveries/replay', { method: 'POST', json })).replayed
}

/**
 * Replays the batch and waits for all outcomes. It follows the live tail from before the first replay, so that it
 * misses no outcome; after a gap of the tail it reads the lists of the service.
 */
async function waitFor(service: Service, filter: DeadLetterFilter, batch: DeadLetterBatch): Promise<number> {
  const filterQuery = new URLSearchParams({ kinds: 'delivery', ...(filter.channel && { channel: filter.channel }) })
  const ending = new AbortController()
  const { signal } = ending
  const up = Promise.withResolvers<void>()
  const broken = Promise.withResolvers<never>()
  const following = follow(
    service,
    { filterQuery, signal },
    {
      up: up.resolve,
      down: () => {},
      gap: () => void reconcile(service, filter, { letters: batch, signal }).catch(broken.reject),
      event(event) {
        if (event.kind === 'delivery' && event.state !== 'pending') batch.finish(keyOf(event), event.state)
      },
    },
  )
  try {
    await Promise.race([following, broken.promise, up.promise])
    await Promise.race([following, broken.promise, sendAll(service, filter, batch)])
  } finally {
    ending.abort()
  }
  return report(batch)
}

async function sendAll(service: Service, filter: DeadLetterFilter, batch: DeadLetterBatch): Promise<void> {
  const bar = progressBar(batch.size)
  try {
    for (let tried = 0; tried < batch.size; ) {
      batch.reopen()
      const count = await replayDead(service, filter)
      if (count === 0) return
      tried += count
      await batch.ended(Math.min(tried, batch.size), (ended) => bar.at(ended))
    }
  } finally {
    bar.done()
  }
}

/** Sets the outcomes by the lists of the service; repeats while the service does not answer. */
async function reconcile(
  service: Service,
  filter: DeadLetterFilter,
  { letters: batch, signal }: { readonly letters: DeadLetterBatch; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      batch.reconcile({
        unfinished: await unfinished(service, filter),
        dead: await deliveryKeysIn(service, 'dead', filter),
      })
      return
    } catch (error) {
      if (!(error instanceof ServiceError && error.mayPass)) throw error
      await pause(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}
const RETRY_MS = 1_000

/**
 * Returns the keys of deliveries that are pending or sending. `pending` is read twice, because a delivery may become
 * sending and pending again between two requests.
 */
async function unfinished(service: Service, filter: DeadLetterFilter): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const state of ['pending', 'sending', 'pending'] as const)
    for (const key of await deliveryKeysIn(service, state, filter)) keys.add(key)
  return keys
}

function report({ size, count: { sent, dead, waiting } }: DeadLetterBatch): number {
  console.log(`of ${size} dead letters ${sent} are sent, ${dead} are dead again`)
  if (waiting > 0) console.log(`${waiting} were not replayed: their channels are not enabled, or the backlog is full`)
  return dead + waiting > 0 ? 1 : 0
}
