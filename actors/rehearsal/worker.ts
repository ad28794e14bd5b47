import { parentPort } from 'node:worker_threads'
import { expose } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import { registerErrorTransfer } from '../../src/kernel/error-transfer.ts'
import { lowerPriority } from '../wiring/priority.ts'
import type { RehearsalThread } from '../wiring/rehearsal.ts'
import { rehearse } from './rehearse.ts'

/** The script of the thread of one rehearsal; it asks main for the history. */
const thread: RehearsalThread = {
  rehearse: ({ maxCpuMs, ...plan }, source, progress) => rehearse(plan, source, { progress, maxCpuMs, cpuMs }),
}

/** Returns the processor time of this thread; of a Node without that reading, the time that it was not idle. */
function cpuMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.eventLoopUtilization().active
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

lowerPriority()
registerErrorTransfer()
if (parentPort !== null) expose(thread, nodeEndpoint(parentPort))
