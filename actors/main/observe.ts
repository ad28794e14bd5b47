import type { DoorStatus } from '../../src/api/door.ts'
import type { TopicStatus } from '../../src/api/topic.ts'
import { SingleFlight } from '../../src/async/single-flight.ts'
import type { CellStatus } from '../../src/kernel/cell.ts'
import type { EventLoopReading } from '../../src/kernel/event-loop-monitor.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Supervisor } from '../../src/kernel/supervision/supervisor.ts'
import type { Snapshot, ThreadSnapshot } from '../../src/telemetry/snapshot.ts'
import { createAsks } from './ask.ts'

/**
 * A thread that does not answer by then is shown as silent. What it counts is in shared memory and shown all the same.
 */
const COLLECT_MS = 1_000

export interface ObserverDeps extends Pick<Snapshot, 'meters' | 'startedAt' | 'version'> {
  readonly supervisor: Pick<Supervisor, 'states' | 'status' | 'ask'>
  /** The main thread, which the supervisor does not see. */
  readonly main: {
    status(): readonly CellStatus[]
    eventLoop(): EventLoopReading
    topic(): TopicStatus
    doors(): readonly DoorStatus[]
    alerts(): Snapshot['alerts'] | undefined
    answers(): Snapshot['answers']
    mcp(): Snapshot['mcp']
    brief(): Snapshot['brief']
    tailClients(): number
    links(): readonly Pick<Link, 'peer' | 'counts'>[]
  }
  channels(): Snapshot['channels']
  /** Only with a database that replicas share. */
  cluster?(): NonNullable<Snapshot['cluster']>
  now(): number
}

/** Takes a snapshot of the whole system. Single flight: callers at the same time share one. */
export function createObserver(deps: ObserverDeps): () => Promise<Snapshot> {
  const flight = new SingleFlight(() => collect(deps))
  return () => flight.run()
}

async function collect(deps: ObserverDeps): Promise<Snapshot> {
  const { supervisor, meters, startedAt, version, main } = deps
  const { askJournal, askStorage, askSenders, askAgent } = createAsks(supervisor, COLLECT_MS)
  const alerts = main.alerts()
  const hasAgent = supervisor.states().some(({ name }) => name === 'agent')
  const [workers, journal, storage, senders, agent] = await Promise.all([
    Promise.all(supervisor.states().map((thread) => collectThread(supervisor, thread))),
    unlessSilent(askJournal({ kind: 'state' })),
    unlessSilent(askStorage({ kind: 'state' })),
    unlessSilent(askSenders({ kind: 'senders' })),
    hasAgent ? unlessSilent(askAgent({ kind: 'status' })) : undefined,
  ])
  return {
    at: deps.now(),
    startedAt,
    version,
    meters,
    rssBytes: process.memoryUsage.rss(),
    threads: [
      { name: 'main', state: 'up', restarts: 0, eventLoop: main.eventLoop() },
      ...workers.map(({ thread }) => thread),
    ],
    actors: [...main.status().map((cell) => ({ ...cell, thread: 'main' })), ...workers.flatMap(({ actors }) => actors)],
    links: [
      ...main.links().map(({ peer, counts }) => ({ thread: 'main', peer, ...counts })),
      ...workers.flatMap(({ links }) => links),
    ],
    channels: deps.channels(),
    ...(journal && { journal }),
    ...(storage && { storage }),
    ...(senders && { senders }),
    ...(agent && { agent }),
    topic: main.topic(),
    doors: main.doors(),
    ...(alerts && { alerts }),
    answers: main.answers(),
    mcp: main.mcp(),
    brief: main.brief(),
    tailClients: main.tailClients(),
    ...(deps.cluster && { cluster: deps.cluster() }),
  }
}

async function collectThread(
  supervisor: ObserverDeps['supervisor'],
  thread: ThreadSnapshot,
): Promise<Pick<Snapshot, 'actors' | 'links'> & { readonly thread: ThreadSnapshot }> {
  const { name, state, restarts } = thread
  try {
    const { eventLoop, actors, links } = await supervisor.status(name, COLLECT_MS)
    return {
      thread: { name, state, restarts, eventLoop },
      actors: actors.map((cell) => ({ ...cell, thread: name })),
      links: Object.entries(links).map(([peer, counts]) => ({ thread: name, peer, ...counts })),
    }
  } catch {
    return { thread: { name, state: state === 'up' ? 'silent' : state, restarts }, actors: [], links: [] }
  }
}

function unlessSilent<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch(() => undefined)
}
