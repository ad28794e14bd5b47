import type { ResourceLimits } from 'node:worker_threads'
import { Link } from '../../src/kernel/link.ts'
import type { ThreadPlan } from '../../src/kernel/supervisor.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import { bootOf, type ConfiguredThread, type RunningConfig } from '../wiring/boot.ts'
import type { LogReports } from '../wiring/log-reports.ts'
import type { BootWithMemory, SharedMemory, SystemSettings } from '../wiring/settings.ts'

/**
 * Limits of threads that no client waits for: collecting their young objects more often costs little, and in a flood each
 * of them keeps some 25 MB less.
 */
const SMALL_YOUNG_GENERATION: ResourceLimits = { maxYoungGenerationSizeMb: 12 }

/** The worker threads that the configuration starts. `peers`: the threads that each is linked to, besides main. */
const THREADS: readonly {
  readonly name: ConfiguredThread
  readonly peers: readonly ConfiguredThread[]
  readonly resourceLimits?: ResourceLimits
  runs(settings: SystemSettings): boolean
}[] = [
  { name: 'journal', peers: ['store'], runs: () => true },
  { name: 'store', peers: ['send'], runs: () => true, resourceLimits: SMALL_YOUNG_GENERATION },
  { name: 'send', peers: ['store'], runs: () => true, resourceLimits: SMALL_YOUNG_GENERATION },
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
  /** Called at each start of a thread. */
  current(): RunningConfig
}

export function threadPlans(links: MainLinks, { script, memory, current }: PlanDeps): ThreadPlan[] {
  return THREADS.filter(({ runs }) => runs(current().settings)).map(({ name, peers, resourceLimits = {} }) => ({
    name,
    peers,
    script: script.script,
    options: { ...script.options, resourceLimits },
    link: links[name],
    boot: (): BootWithMemory => ({ ...bootOf(name, current()), ...memory }),
  }))
}
