import { setTimeout as pause } from 'node:timers/promises'
import type { DeliveryPage, ReplayAnswer } from '../api/delivery.ts'
import type { IncidentDetail } from '../api/incident.ts'
import { CHANNEL_NAMES, type DeliveryState, destinationName } from '../domain/delivery/delivery.ts'
import { ServiceError, UsageError } from './command.ts'
import { defineCommand } from './define-command.ts'
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
    const dead = await keysIn(service, 'dead', filter)
    if (dead.size === 0) {
      console.log('there are no dead letters')
      return 0
    }
    if (!parsedArguments['no-wait']) return replayAll(service, filter, dead)
    console.log(`${await replayDead(service, filter)} of ${dead.size} dead letters are sent again`)
    return 0
  },
})

function channelOf(name: string | undefined): string | undefined {
  if (name === undefined || CHANNEL_NAMES.some((known) => known === name)) return name
  throw new UsageError(`--channel must be one of ${CHANNEL_NAMES.join(', ')}`)
}

/** Selects dead letters; undefined selects all. */
interface DeadLetterFilter {
  readonly channel: string | undefined
  /** Id of an incident. */
  readonly id: string | undefined
}

/**
 * Has the service replay dead letters; returns how many it accepted: at most half of what its backlog has room for, and
 * none of a channel that is not enabled.
 */
async function replayDead(service: Service, { channel, id }: DeadLetterFilter): Promise<number> {
  const json = { state: 'dead', ...(channel && { channel }), ...(id && { id }) }
  return (await callApi<ReplayAnswer>(service, '/api/admin/deliveries/replay', { method: 'POST', json })).replayed
}

/** Replays a batch, in parts when the backlog has no room for all, and prints the outcomes. Returns the exit code. */
async function replayAll(service: Service, filter: DeadLetterFilter, batch: ReadonlySet<string>): Promise<number> {
  const bar = progressBar(batch.size)
  let tried = 0
  try {
    while (tried < batch.size) {
      const count = await replayDead(service, filter)
      if (count === 0) break
      tried = Math.min(batch.size, tried + count)
      for (let left = tried; left > 0; bar.at(tried - left)) {
        left = common(batch, await unfinished(service, filter))
        if (left > 0) await pause(POLL_MS)
      }
    }
  } finally {
    bar.done()
  }
  const waiting = batch.size - tried
  const dead = common(batch, await keysIn(service, 'dead', filter))
  console.log(
    `of ${batch.size} dead letters ${batch.size - dead} are sent, ${Math.max(0, dead - waiting)} are dead again`,
  )
  if (waiting > 0) console.log(`${waiting} were not replayed: their channels are not enabled, or the backlog is full`)
  return dead > 0 ? 1 : 0
}
const POLL_MS = 500

const common = (batch: ReadonlySet<string>, keys: ReadonlySet<string>) =>
  [...batch].filter((key) => keys.has(key)).length

/**
 * Returns the keys of deliveries that are pending or sending. `pending` is read twice, because a delivery may become
 * sending and pending again between two requests. Repeats while the service does not answer.
 */
async function unfinished(service: Service, filter: DeadLetterFilter): Promise<Set<string>> {
  for (;;)
    try {
      const keys = new Set<string>()
      for (const state of ['pending', 'sending', 'pending'] as const)
        for (const key of await keysIn(service, state, filter)) keys.add(key)
      return keys
    } catch (error) {
      if (!(error instanceof ServiceError && error.mayPass)) throw error
      await pause(POLL_MS)
    }
}

/** Returns the keys of all deliveries in a state: incident and destination. Rejects with a ServiceError. */
async function keysIn(service: Service, state: DeliveryState, { channel, id }: DeadLetterFilter): Promise<Set<string>> {
  if (id !== undefined) {
    const { deliveries } = await callApi<IncidentDetail>(service, `/api/admin/incidents/${encodeURIComponent(id)}`)
    const meant = deliveries.filter((each) => each.state === state && (channel ?? each.channel) === each.channel)
    return new Set(meant.map((each) => `${id} ${destinationName(each)}`))
  }
  const keys = new Set<string>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = new URLSearchParams({ state, limit: '500', ...(channel && { channel }), ...(cursor && { cursor }) })
    const page: DeliveryPage = await callApi(service, `/api/admin/deliveries?${query}`)
    for (const each of page.deliveries) keys.add(`${each.incident_id} ${destinationName(each)}`)
    cursor = page.next_cursor
  }
  return keys
}
