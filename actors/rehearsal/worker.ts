import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { errorText } from '../../src/text/error-text.ts'
import type { FromRehearsal, ToRehearsal } from '../messages/rehearsal.ts'
import { lowerPriority } from '../wiring/priority.ts'
import { type HistorySource, type Plan, rehearse } from './rehearse.ts'

/** `workerData` of the thread. */
interface BoundedPlan extends Plan {
  /** Processor time that it may take, in milliseconds. */
  readonly maxCpuMs: number
}

/** The script of the thread of one rehearsal; it asks main for the history. */
async function run(port: NonNullable<typeof parentPort>, { maxCpuMs, ...plan }: BoundedPlan): Promise<void> {
  const tell = (message: FromRehearsal) => port.postMessage(message)
  async function ask<T>(question: FromRehearsal): Promise<T> {
    const answered = once(port, 'message')
    tell(question)
    const [reply] = (await answered) as [ToRehearsal]
    if (reply.kind === 'refused') throw new Error(reply.error)
    return reply.answer as T
  }
  try {
    const source: HistorySource = {
      range: (asked) => ask({ kind: 'range', asked }),
      page: (numbers) => ask({ kind: 'page', numbers }),
      silences: (from) => ask({ kind: 'silences', from }),
    }
    const around = { progress: (done: number) => tell({ kind: 'progress', done }), maxCpuMs, cpuMs }
    tell({ kind: 'done', result: await rehearse(plan, source, around) })
  } catch (error) {
    tell({ kind: 'failed', error: errorText(error) })
  }
  port.close()
}

/** Returns the processor time of this thread; of a Node without that reading, the time that it was not idle. */
function cpuMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.eventLoopUtilization().active
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

lowerPriority()
if (parentPort !== null) await run(parentPort, workerData as BoundedPlan)
