import { systemClock } from '../src/kernel/clock.ts'
import { runThread, type ThreadBody, type ThreadContext } from '../src/kernel/thread.ts'
import { Figures } from '../src/telemetry/figures.ts'
import { createLog } from '../src/telemetry/log.ts'
import { openFeed } from './feed.ts'
import { reports } from './reports.ts'
import type { Boot, BootWithFigures, ThreadTools } from './settings.ts'
import { agentThread } from './thread-agent.ts'
import { sendThread } from './thread-send.ts'
import { storeThread } from './thread-store.ts'

/** The script of every worker thread: which actors it runs is in what it is started with. */
runThread(async (context) => {
  const boot = context.boot as BootWithFigures
  const log = createLog({ ...boot.log, name: context.thread })
  const { feed, cell } = openFeed(context, systemClock, reports(log).cell)
  const figures = new Figures(() => systemClock.now(), boot.figures)
  const body = await bodyOf(boot, context, { log, feed, figures })
  return { ...body, cells: [...body.cells, cell] }
})

function bodyOf(boot: Boot, context: ThreadContext, tools: ThreadTools): ThreadBody | Promise<ThreadBody> {
  switch (boot.thread) {
    case 'store':
      return storeThread(boot, context, tools)
    case 'send':
      return sendThread(boot, context, tools)
    case 'agent':
      return agentThread(boot, context, tools)
    default:
      return boot satisfies never
  }
}
