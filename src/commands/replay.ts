import { setTimeout as pause } from 'node:timers/promises'
import { CHANNEL_NAMES } from '../domain/delivery.ts'
import { ServiceError, UsageError } from './command.ts'
import { type Choice, keyOf, Letters, lettersIn } from './dead-letters.ts'
import { CONFIG, defineCommand } from './define-command.ts'
import { follow } from './follow.ts'
import { progressBar } from './progress.ts'
import { ask, SERVICE, type Service, serviceOf } from './service.ts'

export const replay = defineCommand({
  name: 'replay',
  summary: 'send dead letters again',
  about: `Has a running service try its dead letters again, and waits until each of them is sent or dead again. A bar shows how far it is, on a
terminal. The exit code is 1 when any died again. The secret is that of GATEWAY_SECRET or of the configuration.`,
  options: {
    channel: { value: 'NAME', says: `those of this channel alone; one of ${CHANNEL_NAMES.join(', ')}` },
    id: { value: 'ID', says: 'those of this incident alone' },
    'no-wait': { says: 'do not wait for what becomes of them' },
    ...SERVICE,
    config: CONFIG,
  },
  async run(given) {
    const choice = { channel: channelOf(given.channel), id: given.id }
    const service = serviceOf(given)
    const dead = await lettersIn(service, 'dead', choice)
    if (dead.size === 0) {
      console.log('there are no dead letters')
      return 0
    }
    if (!given['no-wait']) return waitFor(service, choice, new Letters(dead))
    console.log(`${await again(service, choice)} of ${dead.size} dead letters are tried again`)
    return 0
  },
})

function channelOf(name: string | undefined): string | undefined {
  if (name === undefined || CHANNEL_NAMES.some((known) => known === name)) return name
  throw new UsageError(`--channel must be one of ${CHANNEL_NAMES.join(', ')}`)
}

/** How many the service has taken up: never more than half of what its backlog has room for, and none of a channel that is not enabled. */
async function again(service: Service, { channel, id }: Choice): Promise<number> {
  const json = { state: 'dead', ...(channel && { channel }), ...(id && { id }) }
  const { replayed } = (await ask(service, '/api/admin/deliveries/replay', { method: 'POST', json })) as {
    readonly replayed: number
  }
  return replayed
}

/** The tail is followed from before the first is tried, so that nothing is missed; where it has a gap, the service's lists tell. */
async function waitFor(service: Service, choice: Choice, letters: Letters): Promise<number> {
  const wish = new URLSearchParams({ kinds: 'delivery', ...(choice.channel && { channel: choice.channel }) })
  const ending = new AbortController()
  const { signal } = ending
  const up = Promise.withResolvers<void>()
  const broken = Promise.withResolvers<never>()
  const following = follow(
    service,
    { wish, signal },
    {
      up: up.resolve,
      down: () => {},
      gap: () => void reconcile(service, choice, { letters, signal }).catch(broken.reject),
      event(event) {
        if (event.kind === 'delivery' && event.state !== 'pending') letters.settle(keyOf(event), event.state)
      },
    },
  )
  try {
    await Promise.race([following, broken.promise, up.promise])
    await Promise.race([following, broken.promise, sendAll(service, choice, letters)])
  } finally {
    ending.abort()
  }
  return report(letters)
}

async function sendAll(service: Service, choice: Choice, letters: Letters): Promise<void> {
  const bar = progressBar(letters.size)
  try {
    for (let tried = 0; tried < letters.size; ) {
      letters.reopen()
      const count = await again(service, choice)
      if (count === 0) return
      tried += count
      await letters.ended(Math.min(tried, letters.size), (ended) => bar.at(ended))
    }
  } finally {
    bar.done()
  }
}

/** By the lists of the service, as soon as it answers. */
async function reconcile(
  service: Service,
  choice: Choice,
  { letters, signal }: { readonly letters: Letters; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      letters.reconcile({
        unfinished: await unfinished(service, choice),
        dead: await lettersIn(service, 'dead', choice),
      })
      return
    } catch (error) {
      if (!(error instanceof ServiceError && error.mayPass)) throw error
      await pause(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}
const RETRY_MS = 1_000

/** What is pending may be handed out and come back while the lists are read: so it is looked for on both sides of what is handed out. */
async function unfinished(service: Service, choice: Choice): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const state of ['pending', 'sending', 'pending'] as const)
    for (const key of await lettersIn(service, state, choice)) keys.add(key)
  return keys
}

function report({ size, count: { sent, dead, waiting } }: Letters): number {
  console.log(`of ${size} dead letters ${sent} are sent, ${dead} died again`)
  if (waiting > 0)
    console.log(`${waiting} are left as they are: their channels are not enabled, or the backlog is full`)
  return dead + waiting > 0 ? 1 : 0
}
