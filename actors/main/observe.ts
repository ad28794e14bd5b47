import type { AdminRoute } from '../../src/http/contract.ts'
import type { CellStatus } from '../../src/kernel/cell.ts'
import type { Supervisor } from '../../src/kernel/supervisor.ts'
import type {
  ActorSeen,
  AgentSeen,
  Observation,
  SenderSeen,
  StorageSeen,
  ThreadSeen,
  TopicSeen,
} from '../../src/telemetry/snapshot.ts'
import { statsOf } from '../../src/telemetry/stats.ts'
import type { AgentQuery } from '../messages/agent-queries.ts'
import type { SendQuery } from '../messages/send-queries.ts'
import type { StorageQuery } from '../messages/storage-queries.ts'

/** A thread that does not answer by then is silent: what it has counted is known all the same. */
const LOOK_MS = 1_000

export interface StatsTools extends Pick<Observation, 'figures' | 'startedAt' | 'version'> {
  readonly supervisor: Pick<Supervisor, 'states' | 'status' | 'ask'>
  /** Of main itself. */
  readonly main: {
    status(): readonly CellStatus[]
    pulse(): NonNullable<ThreadSeen['pulse']>
    topic(): TopicSeen
    tailClients(): number
  }
  channels(): Observation['channels']
  now(): number
}

/** Looks at everything at once; those who ask meanwhile share the look. */
export function observer(tools: StatsTools): () => Promise<Observation> {
  let looking: Promise<Observation> | undefined
  return () => {
    looking ??= look(tools).finally(() => {
      looking = undefined
    })
    return looking
  }
}

export function statsRoute(observe: () => Promise<Observation>): AdminRoute {
  return {
    method: 'GET',
    path: '/api/admin/stats',
    answer: async () => ({ status: 200, json: statsOf(await observe()) }),
  }
}

async function look(tools: StatsTools): Promise<Observation> {
  const { supervisor, figures, startedAt, version, main } = tools
  const [workers, storage, senders, agent] = await Promise.all([
    Promise.all(supervisor.states().map((thread) => worker(supervisor, thread))),
    unlessSilent<StorageSeen>(askStorage(supervisor)),
    unlessSilent<readonly SenderSeen[]>(askSenders(supervisor)),
    unlessSilent<AgentSeen>(askAgent(supervisor)),
  ])
  return {
    ...{ at: tools.now(), startedAt, version, figures },
    rssBytes: process.memoryUsage.rss(),
    threads: [{ name: 'main', state: 'up', restarts: 0, pulse: main.pulse() }, ...workers.map(({ thread }) => thread)],
    actors: [...main.status().map((cell) => ({ ...cell, thread: 'main' })), ...workers.flatMap(({ actors }) => actors)],
    channels: tools.channels(),
    ...(storage && { storage }),
    ...(senders && { senders }),
    ...(agent && { agent }),
    topic: main.topic(),
    tailClients: main.tailClients(),
  }
}

async function worker(
  supervisor: StatsTools['supervisor'],
  thread: ThreadSeen,
): Promise<{ readonly thread: ThreadSeen; readonly actors: readonly ActorSeen[] }> {
  const { name, state, restarts } = thread
  try {
    const { pulse, actors } = await supervisor.status(name, LOOK_MS)
    return { thread: { name, state, restarts, pulse }, actors: actors.map((cell) => ({ ...cell, thread: name })) }
  } catch {
    return { thread: { name, state: state === 'up' ? 'silent' : state, restarts }, actors: [] }
  }
}

function askStorage(supervisor: StatsTools['supervisor']): Promise<unknown> {
  const query: StorageQuery = { kind: 'state' }
  return supervisor.ask('store', 'storage', query, LOOK_MS)
}

function askSenders(supervisor: StatsTools['supervisor']): Promise<unknown> {
  const query: SendQuery = { kind: 'senders' }
  return supervisor.ask('send', 'senders', query, LOOK_MS)
}

async function askAgent(supervisor: StatsTools['supervisor']): Promise<unknown> {
  const query: AgentQuery = { kind: 'status' }
  return supervisor.states().some(({ name }) => name === 'agent')
    ? supervisor.ask('agent', 'agent', query, LOOK_MS)
    : undefined
}

async function unlessSilent<T>(answer: Promise<unknown>): Promise<T | undefined> {
  return answer.then(
    (given) => given as T,
    () => undefined,
  )
}
