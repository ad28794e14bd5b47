import type { ActorSnapshot, ThreadSnapshot } from '../snapshot.ts'
import { counter, type Family, gauge } from './family.ts'

/** Threads, actors and their mailboxes. */
export const THREADS: readonly Family[] = [
  gauge('tocsin_thread_up', '1 while the thread is up and answers.', ({ threads }) =>
    threads.map(({ name, state }) => ({ labels: { thread: name }, value: state === 'up' ? 1 : 0 })),
  ),
  counter('tocsin_thread_restarts_total', 'Times the thread was started again after it died.', ({ threads }) =>
    threads.map(({ name, restarts }) => ({ labels: { thread: name }, value: restarts })),
  ),
  eventLoopGauge(
    'tocsin_event_loop_utilization_ratio',
    'Share of the last seconds that the event loop was busy.',
    (snapshot) => snapshot.utilization,
  ),
  eventLoopGauge(
    'tocsin_event_loop_lag_p50_seconds',
    'How late timers ran in the last minute, median.',
    (snapshot) => snapshot.lagMs.p50 / 1_000,
  ),
  eventLoopGauge(
    'tocsin_event_loop_lag_p99_seconds',
    'How late timers ran in the last minute, 99th percentile.',
    (snapshot) => snapshot.lagMs.p99 / 1_000,
  ),
  eventLoopGauge(
    'tocsin_event_loop_lag_max_seconds',
    'How late timers ran in the last minute, at most.',
    (snapshot) => snapshot.lagMs.max / 1_000,
  ),
  actor('gauge', 'tocsin_actor_up', '1 while the actor receives.', ({ state }) => (state === 'up' ? 1 : 0)),
  actor(
    'counter',
    'tocsin_actor_restarts_total',
    'Times the actor was built again after it failed.',
    (snapshot) => snapshot.restarts,
  ),
  counter('tocsin_actor_dead_letters_total', 'Messages that failed twice and were given up.', ({ actors }) =>
    actors.flatMap((snapshot) =>
      Object.entries(snapshot.deadLetters).map(([kind, value]) => ({ labels: { ...named(snapshot), kind }, value })),
    ),
  ),
  actor(
    'gauge',
    'tocsin_mailbox_occupied',
    'Places taken, by what waits and by what is worked on.',
    (snapshot) => snapshot.occupied,
  ),
  actor('gauge', 'tocsin_mailbox_capacity', 'Places in the mailbox.', (snapshot) => snapshot.capacity),
  actor('counter', 'tocsin_mailbox_refused_total', 'Messages that found no place.', (snapshot) => snapshot.refused),
]

const named = ({ name, thread }: ActorSnapshot) => ({ actor: name, thread })

function actor(type: 'gauge' | 'counter', name: string, help: string, of: (snapshot: ActorSnapshot) => number): Family {
  const samples: Parameters<typeof gauge>[2] = ({ actors }) =>
    actors.map((snapshot) => ({ labels: named(snapshot), value: of(snapshot) }))
  return { type, name, help, samples }
}

function eventLoopGauge(
  name: string,
  help: string,
  of: (eventLoop: NonNullable<ThreadSnapshot['eventLoop']>) => number,
): Family {
  return gauge(name, help, ({ threads }) =>
    threads.flatMap(({ name: thread, eventLoop: pulse }) => (pulse ? [{ labels: { thread }, value: of(pulse) }] : [])),
  )
}
