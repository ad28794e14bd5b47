import { workerData } from 'node:worker_threads'
import type { Lease, SharedLease } from '../src/cluster/shared-lease.ts'
import { SharedProgress } from '../src/journal/progress.ts'
import { sinceBootMs, systemClock } from '../src/kernel/clock.ts'
import type { SpareData } from '../src/kernel/supervision/incarnation.ts'
import { runThread, type ThreadBody, type ThreadContext } from '../src/kernel/thread.ts'
import { createLog } from '../src/telemetry/log.ts'
import { openMeters } from '../src/telemetry/meters.ts'
import type { Boot, BootWithMemory } from './wiring/boot.ts'
import { openEventPublisher } from './wiring/event-publisher.ts'
import { logReports } from './wiring/log-reports.ts'
import { lowerPriority } from './wiring/priority.ts'
import type { ThreadDeps } from './wiring/settings.ts'
import { createSpawn } from './wiring/spawn.ts'

/** The lease of a process that shares its storage with no other. */
const OWN_LEASE: Lease = { holds: () => true, term: 0 }

/** Loads the code of a thread before it is started. */
const LOAD: { readonly [thread: string]: () => Promise<unknown> } = {
  store: async () => (await import('./store/thread.ts')).loadReplicaCode(),
  send: async () => (await import('./send/thread.ts')).loadSenders(),
  agent: () => import('./agent/thread.ts'),
}

/** The script of every worker thread. The boot settings name the thread; only the code of that thread is loaded. */
runThread(async (context) => {
  const boot = context.boot as BootWithMemory
  // Clients wait for the journal and the fronts alone; and everybody for the store while it opens.
  const isPatient = boot.thread === 'send' || boot.thread === 'agent'
  if (isPatient) lowerPriority()
  const log = createLog({ ...boot.log, name: context.thread })
  const shared = boot.cluster && (await sharedLease(boot.cluster))
  const clock = shared ? { ...systemClock, now: () => shared.now() } : systemClock
  const lease = shared ? { holds: () => shared.holds(), term: boot.term } : OWN_LEASE
  const spawn = createSpawn({ clock, scheduler: context.scheduler, report: logReports(log).cell })
  const { publisher, cell } = openEventPublisher(context, spawn)
  const meters = openMeters(() => clock.now(), boot.meters)
  const progress = new SharedProgress(boot.progress)
  const body = await bodyOf(boot, context, { spawn, clock, lease, log, publisher, meters, progress })
  if (boot.thread === 'store') lowerPriority()
  return { ...body, cells: [...body.cells, cell] }
})

const spareOf = (workerData as SpareData | null)?.spareOf
// One that cannot load its code says so when it is started.
if (spareOf !== undefined) await LOAD[spareOf]?.().catch(() => {})

async function sharedLease(memory: SharedArrayBuffer): Promise<SharedLease> {
  const { SharedLease } = await import('../src/cluster/shared-lease.ts')
  return new SharedLease(memory, sinceBootMs)
}

async function bodyOf(boot: Boot, context: ThreadContext, deps: ThreadDeps): Promise<ThreadBody> {
  switch (boot.thread) {
    case 'journal':
      return (await import('./journal/thread.ts')).journalThread(boot, context, deps)
    case 'store':
      return (await import('./store/thread.ts')).storeThread(boot, context, deps)
    case 'send':
      return (await import('./send/thread.ts')).sendThread(boot, context, deps)
    case 'front':
      return (await import('./front/remote/thread.ts')).frontThread(boot, context, deps)
    case 'agent':
      return (await import('./agent/thread.ts')).agentThread(boot, context, deps)
    default:
      return boot satisfies never
  }
}
