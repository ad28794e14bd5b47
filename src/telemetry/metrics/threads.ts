import type { ActorSnapshot, LinkSnapshot, ThreadSnapshot } from '../snapshot.ts'
import { counter, type Family, gauge } from './family.ts'

/** The version, threads, actors and their mailboxes. */
export const THREADS: readonly Family[] = [
  gauge('tocsin_build_info', 'The version that runs, as a label; always 1.', ({ version }) => [
    { labels: { version }, value: 1 },
  ]),
  gauge('tocsin_thread_up', '1 while the thread is up and answers, else 0.', ({ threads }) =>
    threads.map(({ name, state }) => ({ labels: { thread: name }, value: state === 'up' ? 1 : 0 })),
  ),
  counter('tocsin_thread_restarts_total', 'Restarts of the thread after it died.', ({ threads }) =>
    threads.map(({ name, restarts }) => ({ labels: { thread: name }, value: restarts })),
  ),
  eventLoopGauge(
    'tocsin_event_loop_utilization_ratio',
    'Share of the last 5 to 10 s in which the event loop was busy.',
    (snapshot) => snapshot.utilization,
  ),
  eventLoopGauge(
    'tocsin_event_loop_lag_p50_seconds',
    'Delay of timers in the last minute, median.',
    (snapshot) => snapshot.lagMs.p50 / 1_000,
  ),
  eventLoopGauge(
    'tocsin_event_loop_lag_p99_seconds',
    'Delay of timers in the last minute, 99th percentile.',
    (snapshot) => snapshot.lagMs.p99 / 1_000,
  ),
  eventLoopGauge(
    'tocsin_event_loop_lag_max_seconds',
    'Delay of timers in the last minute, maximum.',
    (snapshot) => snapshot.lagMs.max / 1_000,
  ),
  actor('gauge', 'tocsin_actor_up', '1 while the actor receives messages, else 0.', ({ state }) =>
    state === 'up' ? 1 : 0,
  ),
  actor(
    'counter',
    'tocsin_actor_restarts_total',
    'Restarts of the actor after it threw.',
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
    'Slots of the mailbox that are taken: by messages that wait and messages in work.',
    (snapshot) => snapshot.occupied,
  ),
  actor('gauge', 'tocsin_mailbox_capacity', 'Slots of the mailbox.', (snapshot) => snapshot.capacity),
  actor('counter', 'tocsin_mailbox_refused_total', 'Messages that found no free slot.', (snapshot) => snapshot.refused),
  counter('tocsin_link_messages_total', 'Messages that the thread posted to a peer thread.', ({ links }) =>
    links.map((link) => ({ labels: ends(link), value: link.tellsPosted })),
  ),
  counter('tocsin_link_frames_total', 'Posts that carried these messages, one for each event-loop turn.', ({ links }) =>
    links.map((link) => ({ labels: ends(link), value: link.framesPosted })),
  ),
  counter('tocsin_link_lost_total', 'Messages lost between two threads, by reason; frames for `late`.', ({ links }) =>
    links.flatMap((link) =>
      Object.entries(LOSSES).map(([reason, of]) => ({ labels: { ...ends(link), reason }, value: of(link) })),
    ),
  ),
]

const LOSSES: { readonly [reason: string]: (link: LinkSnapshot) => number } = {
  /** For an actor, or a place in its mailbox, that does not exist. */
  misdirected: (link) => link.misdirected,
  /** Holds what cannot be cloned to another thread. */
  unsendable: (link) => link.unsendable,
  /** Frames of a peer's earlier incarnation. */
  late: (link) => link.lateFrames,
  /** An actor missed that its peer ended or started. */
  notice: (link) => link.lostNotices,
}

const ends = ({ thread, peer }: LinkSnapshot) => ({ thread, peer })

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
    threads.flatMap(({ name: thread, eventLoop }) => (eventLoop ? [{ labels: { thread }, value: of(eventLoop) }] : [])),
  )
}
