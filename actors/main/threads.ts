import { Link } from '../../src/kernel/link.ts'
import type { ThreadPlan } from '../../src/kernel/supervision/supervised.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import type { BootWithMemory } from '../wiring/boot.ts'
import { bootOf, type ConfiguredThread, type RunningConfig } from '../wiring/boot.ts'
import type { LogReports } from '../wiring/log-reports.ts'
import type { SharedMemory, SystemSettings } from '../wiring/settings.ts'

/** The worker threads that the configuration starts. `peers`: the threads that each is linked to, besides main. */
const THREADS: readonly {
  readonly name: ConfiguredThread
  readonly peers: readonly ConfiguredThread[]
  runs(settings: SystemSettings): boolean
}[] = [
  { name: 'journal', peers: ['store'], runs: () => true },
  { name: 'store', peers: ['send'], runs: () => true },
  { name: 'send', peers: ['store'], runs: () => true },
  { name: 'agent', peers: ['store'], runs: ({ agent }) => agent.enable },
]

/** Main's links, one for each thread; that of a thread that does not run is never up. */
type MainLinks = { readonly [thread in ConfiguredThread]: Link }

export function openLinks(scheduler: TurnScheduler, { lost }: Pick<LogReports, 'lost'>): MainLinks {
  const open = (thread: ConfiguredThread) => new Link(thread, scheduler, lost(thread))
  return { journal: open('journal'), store: open('store'), send: open('send'), agent: open('agent') }
}

interface PlanDeps {
  readonly script: Pick<ThreadPlan, 'script' | 'options'>
  readonly memory: SharedMemory
  /** Returns the term of the lease; 0 where no other process shares the storage. */
  term(): number
  /** Called at each start of a thread. */
  current(): RunningConfig
}

export function threadPlans(links: MainLinks, { script, memory, term, current }: PlanDeps): ThreadPlan[] {
  return THREADS.filter(({ runs }) => runs(current().settings)).map(({ name, peers }) => ({
    name,
    peers,
    ...script,
    link: links[name],
    boot: (): BootWithMemory => ({ ...bootOf(name, current()), ...memory, term: term() }),
  }))
}
