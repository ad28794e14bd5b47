import { runThread } from '../src/kernel/thread.ts'
import { createLog } from '../src/telemetry/log.ts'
import type { Boot } from './settings.ts'
import { sendThread } from './thread-send.ts'
import { storeThread } from './thread-store.ts'

/** The script of every worker thread: which actors it runs is in what it is started with. */
runThread((context) => {
  const boot = context.boot as Boot
  const log = createLog({ ...boot.log, name: context.thread })
  switch (boot.thread) {
    case 'store':
      return storeThread(boot, context, log)
    case 'send':
      return sendThread(boot, context, log)
    default:
      return boot satisfies never
  }
})
