import type { AnalysisBackend } from '../../src/analysis/contract.ts'
import { loadBackend } from '../../src/analysis/load-backend.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import type { AgentMeters } from '../../src/telemetry/meters.ts'
import { CURSOR_WINDOW, type LoadCursors, RAISE_WINDOW, type Raise, type SaveCursors } from '../messages/agent.ts'
import type { AgentQueries } from '../messages/agent-queries.ts'
import type { AgentMail } from '../messages/mailboxes.ts'
import { type Answers, answerFrom } from '../messages/query.ts'
import type { AgentBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { buildAgent } from './build.ts'
import { agentFiles } from './files.ts'
import { agentAnswers } from './queries.ts'

/** Runs the log agent. Each incarnation of the actor goes on from the files of the one before. */
export async function agentThread(boot: AgentBoot, { link }: ThreadContext, deps: ThreadDeps): Promise<ThreadBody> {
  const { ai } = boot.agent
  const backend = ai.enable
    ? countedBackend(await loadBackend(ai), deps.meters.agent, () => deps.clock.elapsed())
    : undefined
  const files = await agentFiles(boot, deps)
  const ingest: Ref<Raise> = link('main').outlet('ingest', RAISE_WINDOW)
  const cursorStore: Ref<SaveCursors | LoadCursors> = link('store').outlet('cursors', CURSOR_WINDOW)
  let answers: Answers<AgentQueries> | undefined
  const { cell } = deps.spawn<AgentMail>({
    name: 'agent',
    places: RAISE_WINDOW + CURSOR_WINDOW,
    batch: 64,
    slots: 'auto',
    from: [link('main'), link('store')],
    watch: [link('store')],
    build() {
      const parts = buildAgent({ boot, ...deps, backend, ingest, cursorStore, files })
      answers = agentAnswers(parts)
      return parts.actor
    },
  })
  shrinkHeap()
  return {
    cells: [cell],
    ask: (_actor, query) => answers && answerFrom(answers, query),
    async stop() {
      await cell.drain()
      await cell.close()
    },
  }
}

/** Counts and times the calls of a backend. */
function countedBackend(backend: AnalysisBackend, meters: AgentMeters, elapsed: () => number): AnalysisBackend {
  return {
    async analyze(observation, signal) {
      const since = elapsed()
      try {
        const result = await backend.analyze(observation, signal)
        meters.answered.add()
        return result
      } catch (error) {
        meters.failed.add()
        throw error
      } finally {
        meters.callMs.record(elapsed() - since)
      }
    },
  }
}
