import type { CpuProfile } from './cpu-profile.ts'
import { inspect, type Thread } from './inspector.ts'

/** What one thread did while it was recorded. */
export interface ThreadRecord {
  readonly thread: string
  readonly seconds: number
  /** Share of the time that the event loop was at work, 0 to 1; means nothing while stacks are sampled. */
  readonly utilization: number
  /** Of a recording of stacks. */
  readonly profile?: CpuProfile
}

/** Not both at once: the signals that sample stacks wake the loops, which then seem to be busy. */
export type What = 'loops' | 'stacks'

const INTERVAL_MICROS = 250
const BEGIN = '{ globalThis.recorded = { loop: performance.eventLoopUtilization(), ms: performance.now() } }'
const READ = `JSON.stringify({
  utilization: performance.eventLoopUtilization(recorded.loop).utilization,
  seconds: (performance.now() - recorded.ms) / 1000
})`

/** Records every thread of a process that runs with `--inspect`, from now on or from its start. A thread that ends meanwhile is lost. */
export async function record(inspectorUrl: string, what: What): Promise<{ stop(): Promise<ThreadRecord[]> }> {
  const threads: Thread[] = []
  const started: Promise<unknown>[] = []
  const connection = await inspect(inspectorUrl, (thread) => {
    threads.push(thread)
    started.push(start(thread, what).catch(() => {}))
  })
  await Promise.all(started)
  return {
    async stop() {
      const records = await Promise.all(threads.map((thread) => stop(thread, what).catch(() => [])))
      connection.close()
      return records.flat()
    },
  }
}

async function start(thread: Thread, what: What): Promise<void> {
  await thread.send('Runtime.evaluate', { expression: BEGIN })
  if (what === 'stacks') {
    await thread.send('Profiler.enable')
    await thread.send('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
    await thread.send('Profiler.start')
  }
  await thread.send('Runtime.runIfWaitingForDebugger')
}

async function stop(thread: Thread, what: What): Promise<ThreadRecord[]> {
  const profile = what === 'stacks' ? await thread.send<{ profile: CpuProfile }>('Profiler.stop') : {}
  const { result } = await thread.send<{ result: { value: string } }>('Runtime.evaluate', { expression: READ })
  const loop = JSON.parse(result.value) as Pick<ThreadRecord, 'seconds' | 'utilization'>
  return [{ thread: thread.name, ...loop, ...profile }]
}
