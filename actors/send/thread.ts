import { setTimeout as pause } from 'node:timers/promises'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { answerFrom } from '../messages/query.ts'
import type { SendBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { sendAnswers } from './queries.ts'
import { openPool, trySamples, useTemplates } from './rendering.ts'

/** For template threads and connections to end at a stop; afterwards they end with the thread. */
const CLOSE_GRACE_MS = 250
/** Time without samples after the start, so that the backlog of an earlier life and the first incidents go first. */
const SAMPLES_AFTER_MS = 1_000

/** Loads the code of the senders. */
export const loadSenders = () => import('./senders.ts')

/**
 * Runs one sender for each enabled channel, the pager, and the render pool that the senders share. Resolves when
 * messages can be sent at once: a render thread has compiled the templates. Rejects with `template_invalid`.
 */
export async function sendThread(boot: SendBoot, context: ThreadContext, deps: ThreadDeps): Promise<ThreadBody> {
  const { log } = deps
  const pool = openPool(boot, deps)
  // The render thread starts and compiles while this one loads the code of the senders.
  const start = async () => {
    const { startSenders } = await loadSenders()
    const started = await startSenders(boot, context, { ...deps, pool })
    shrinkHeap()
    return started
  }
  const [watch, { senders, cells, ackKey, testing, closeConnections }] = await Promise.all([
    useTemplates(pool, boot, log),
    start(),
  ])
  setTimeout(() => void trySamples(pool, log), SAMPLES_AFTER_MS)
  const answers = sendAnswers({ senders, pool, ackKey, testing, disabledTemplates: boot.disabledTemplates })
  return {
    cells,
    ask: (_actor, query) => answerFrom(answers, query),
    async stop() {
      await Promise.all(cells.map((cell) => cell.drain()))
      await Promise.all(cells.map((cell) => cell.close()))
      watch?.close()
      // A template that does not end, or a provider that does not answer, must not hold up the stop.
      await Promise.race([Promise.all([pool.close(), closeConnections()]), pause(CLOSE_GRACE_MS)])
    },
  }
}
