import type { Front } from '../../src/http/front.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { Supervisor } from '../../src/kernel/supervisor.ts'
import { makeDirectory } from '../../src/store/engine/data-directory.ts'
import type { SystemSettings } from '../wiring/settings.ts'
import type { Roles } from './cluster/roles.ts'
import { frontSettings } from './front-settings.ts'
import type { Fronts } from './fronts/fronts.ts'
import { checkTemplates } from './reload.ts'
import type { TopicIntake } from './topic/intake.ts'

interface Parts {
  readonly supervisor: Supervisor
  /** Absent when no other process shares the storage. */
  readonly roles: Roles | undefined
  readonly topic: Pick<TopicIntake, 'configure'>
  readonly metrics: { listen(host: string): Promise<unknown> }
  readonly front: Pick<Front, 'listen'>
  readonly fronts: Pick<Fronts, 'listen'>
}

/** Starts the threads, then opens the ports. Returns the main port. */
export async function startMain(main: Parts, settings: SystemSettings): Promise<number> {
  // Before the threads, several of which keep files there.
  makeDirectory(settings.storage.dataDir)
  // A follower starts no send thread, which would find them.
  if (main.roles) await checkTemplates(settings)
  const threads = main.supervisor.start(main.roles?.isOfAll)
  main.roles?.start()
  shrinkHeap()
  await threads
  await main.topic.configure(settings.topicsvc, frontSettings(settings))
  await main.metrics.listen(settings.host)
  const port = await main.front.listen(settings.host, settings.port)
  await main.fronts.listen(settings.host, port)
  return port
}
