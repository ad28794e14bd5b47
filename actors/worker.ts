import { systemClock } from '../src/kernel/clock.ts'
import { runThread, type ThreadBody, type ThreadContext } from '../src/kernel/thread.ts'
import { createLog } from '../src/telemetry/log.ts'
import { Figures } from '../src/telemetry/meters.ts'
import { openFeed } from './wiring/event-publisher.ts'
import { reports } from './wiring/log-reports.ts'
import type { Boot, BootWithFigures, ThreadTools } from './wiring/settings.ts'

/** The script of every worker thread: which actors it runs, and so which of the program it loads, is in what it is started with. */
runThread(async (context) => {
  const boot = context.boot as BootWithFigures
  const log = createLog({ ...boot.log, name: context.thread })
  const { feed, cell } = openFeed(context, systemClock, reports(log).cell)
  const figures = new Figures(() => systemClock.now(), boot.figures)
  const body = await bodyOf(boot, context, { log, feed, figures })
  return { ...body, cells: [...body.cells, cell] }
})

async function bodyOf(boot: Boot, context: ThreadContext, tools: ThreadTools): Promise<ThreadBody> {
  switch (boot.thread) {
    case 'store':
      return (await import('./store/thread.ts')).storeThread(boot, context, tools)
    case 'send':
      return (await import('./send/thread.ts')).sendThread(boot, context, tools)
    case 'front':
      return (await import('./front/remote/thread.ts')).frontThread(boot, context, tools)
    case 'agent':
      return (await import('./agent/thread.ts')).agentThread(boot, context, tools)
    default:
      return boot satisfies never
  }
}
