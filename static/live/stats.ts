import { computed, effect, signal, untracked } from '@preact/signals'
import type { Stats } from '../../src/api/stats.ts'
import { get } from '../api/client.ts'
import { signedIn } from '../api/session.ts'
import { Connection } from './connection.ts'
import { type Sample, withSample } from './history.ts'

/** The latest statistics; undefined until the first have arrived. */
export const stats = signal<Stats | undefined>(undefined)
export const samples = signal<readonly Sample[]>([])
/**
 * The way in which statistics arrive.
 *
 * - connecting: none have arrived; leaves to live, polling, lost
 * - live: over the WebSocket, every second; leaves to polling, lost
 * - polling: by a request every 2 s, because the WebSocket has brought none for 5 s; leaves to live, lost
 * - lost: requests fail; leaves to live, polling
 */
export const connectionState = signal<'connecting' | 'live' | 'polling' | 'lost'>('connecting')

/** Changes when lists are out of date: an incident was accepted or acknowledged, a delivery settled. */
export const dataVersion = computed(() => {
  const { value } = stats
  if (value === undefined) return ''
  const { ingest, deliveries, oncall, attention, storage } = value
  const settled = Object.values(deliveries).map((each) => [each.sent_total, each.retried_total, each.dead_total])
  const stored = [storage?.incidents, storage?.finished, storage?.unfinished_deliveries]
  return JSON.stringify([ingest.accepted_total, settled, oncall, attention, stored])
})

/** Changes every 3 s, for data that `dataVersion` does not cover. */
export const refreshClock = computed(() => Math.floor(Date.parse(stats.value?.at ?? '') / SLOW_MS) || 0)

/** Changes every minute. */
export const minuteClock = computed(() => Math.floor(Date.parse(stats.value?.at ?? '') / MINUTE_MS) || 0)

const SLOW_MS = 3_000
const MINUTE_MS = 60_000
const POLL_MS = 2_000
const STALE_MS = 5_000

/** Keeps the statistics up to date while a person is signed in. */
export function followStats(): void {
  effect(() => {
    if (!signedIn.value) return undefined
    return untracked(follow)
  })
}

function follow(): () => void {
  let lastAt = 0
  const take = (next: Stats, by: 'live' | 'polling') => {
    lastAt = performance.now()
    samples.value = withSample(samples.peek(), stats.peek(), next)
    stats.value = next
    connectionState.value = by
  }
  const connection = new Connection({ kinds: ['stats'] }, (line) => {
    const event = JSON.parse(line) as { kind: string; stats?: Stats }
    if (event.stats !== undefined) take(event.stats, 'live')
  })
  const poll = async () => {
    if (performance.now() - lastAt < STALE_MS && connectionState.peek() === 'live') return
    await get<Stats>('/api/admin/stats').then(
      (next) => take(next, 'polling'),
      () => {
        connectionState.value = 'lost'
      },
    )
  }
  const timer = setInterval(() => void poll(), POLL_MS)
  void poll()
  return () => {
    clearInterval(timer)
    connection.close()
    connectionState.value = 'connecting'
    stats.value = undefined
    samples.value = []
  }
}
