import type { AdminRoute } from '../../src/http/contract.ts'
import type { CellStatus } from '../../src/kernel/cell.ts'
import type { Supervisor } from '../../src/kernel/supervisor.ts'
import type {
  ActorSnapshot,
  AgentSnapshot,
  SenderSnapshot,
  Snapshot,
  StorageSnapshot,
  ThreadSnapshot,
  TopicSnapshot,
} from '../../src/telemetry/snapshot.ts'
import { statsOf } from '../../src/telemetry/stats.ts'
import { createAskAgent, createAskSenders, createAskStorage } from './ask.ts'

/** A thread that does not answer by then is silent: what it has counted is known all the same. */
const COLLECT_MS = 1_000

export interface ObserverDeps extends Pick<Snapshot, 'meters' | 'startedAt' | 'version'> {
  readonly supervisor: Pick<Supervisor, 'states' | 'status' | 'ask'>
  /** Of main itself. */
  readonly main: {
    status(): readonly CellStatus[]
    eventLoop(): NonNullable<ThreadSnapshot['eventLoop']>
    topic(): TopicSnapshot
    tailClients(): number
  }
  channels(): Snapshot['channels']
  now(): number
}

/** Looks at everything at once; those who ask meanwhile share the look. */
export function createObserver(deps: ObserverDeps): () => Promise<Snapshot> {
  let collecting: Promise<Snapshot> | undefined
  return () => {
    collecting ??= collect(deps).finally(() => {
      collecting = undefined
    })
    return collecting
  }
}

export function statsRoute(observe: () => Promise<Snapshot>): AdminRoute {
  return {
    method: 'GET',
    path: '/api/admin/stats',
    answer: async () => ({ status: 200, json: statsOf(await observe()) }),
  }
}

async function collect(deps: ObserverDeps): Promise<Snapshot> {
  const { supervisor, meters, startedAt, version, main } = deps
  const hasAgent = supervisor.states().some(({ name }) => name === 'agent')
  const [workers, storage, senders, agent] = await Promise.all([
    Promise.all(supervisor.states().map((thread) => collectThread(supervisor, thread))),
    unlessSilent<StorageSnapshot>(createAskStorage(supervisor, COLLECT_MS)({ kind: 'state' })),
    unlessSilent<readonly SenderSnapshot[]>(createAskSenders(supervisor, COLLECT_MS)({ kind: 'senders' })),
    hasAgent ? unlessSilent<AgentSnapshot>(createAskAgent(supervisor, COLLECT_MS)({ kind: 'status' })) : undefined,
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
    channels: deps.channels(),
    ...(storage && { storage }),
    ...(senders && { senders }),
    ...(agent && { agent }),
    topic: main.topic(),
    tailClients: main.tailClients(),
  }
}

async function collectThread(
  supervisor: ObserverDeps['supervisor'],
  thread: ThreadSnapshot,
): Promise<{ readonly thread: ThreadSnapshot; readonly actors: readonly ActorSnapshot[] }> {
  const { name, state, restarts } = thread
  try {
    const { eventLoop, actors } = await supervisor.status(name, COLLECT_MS)
    return { thread: { name, state, restarts, eventLoop }, actors: actors.map((cell) => ({ ...cell, thread: name })) }
  } catch {
    return { thread: { name, state: state === 'up' ? 'silent' : state, restarts }, actors: [] }
  }
}

function unlessSilent<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch(() => undefined)
}
