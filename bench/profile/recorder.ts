import { errorText } from '../../src/text/error-text.ts'
import type { CpuProfile } from './cpu-profile.ts'
import { inspect, type Thread } from './inspector.ts'

/** One thread over the time in which it was recorded. */
export interface ThreadRecord {
  readonly thread: string
  readonly seconds: number
  /** Share of the time in which the event loop was at work, 0 to 1. Meaningless while stacks are sampled. */
  readonly utilization: number
  /** Present in a recording of stacks. */
  readonly profile?: CpuProfile
}

/**
 * Kind of a recording. The two exclude each other: the signals that sample stacks wake the event loops, which then seem
 * busy.
 */
export type What = 'loops' | 'stacks'

const INTERVAL_MICROS = 250
const BEGIN = '{ globalThis.recorded = { loop: performance.eventLoopUtilization(), ms: performance.now() } }'
const READ = `JSON.stringify({
  utilization: performance.eventLoopUtilization(recorded.loop).utilization,
  seconds: (performance.now() - recorded.ms) / 1000
})`

/**
 * Records every thread of a process that runs with `--inspect`: those that exist now, and later ones from their start.
 * A thread that ends before `stop` is left out, with a line on standard error.
 */
export async function record(inspectorUrl: string, what: What): Promise<{ stop(): Promise<ThreadRecord[]> }> {
  const threads: { readonly thread: Thread; readonly started: Promise<void> }[] = []
  const connection = await inspect(inspectorUrl, (thread) => {
    const started = start(thread, what)
    // Reported by `stop`, which awaits it.
    started.catch(() => {})
    threads.push({ thread, started })
  })
  await Promise.allSettled(threads.map(({ started }) => started))
  return {
    async stop() {
      const records = threads.map(async ({ thread, started }) => {
        await started
        return [await stop(thread, what)]
      })
      const found = await Promise.all(records.map((each) => each.catch(leftOut)))
      connection.close()
      return found.flat()
    },
  }
}

function leftOut(error: unknown): ThreadRecord[] {
  console.error(`a thread is not in the profile: ${errorText(error)}`)
  return []
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

async function stop(thread: Thread, what: What): Promise<ThreadRecord> {
  const profile = what === 'stacks' ? await thread.send<{ profile: CpuProfile }>('Profiler.stop') : {}
  const { result } = await thread.send<{ result: { value: string } }>('Runtime.evaluate', { expression: READ })
  const loop = JSON.parse(result.value) as Pick<ThreadRecord, 'seconds' | 'utilization'>
  return { thread: thread.name, ...loop, ...profile }
}
