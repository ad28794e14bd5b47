import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { createPost } from '../../src/outbound/post.ts'
import { printer } from '../../src/telemetry/log.ts'
import { answerFrom } from '../messages/query.ts'
import { settlementWindow } from '../messages/settlement-window.ts'
import type { SettlePage } from '../messages/storage-pager.ts'
import type { Settle } from '../messages/storage-send.ts'
import type { SendBoot, ThreadDeps } from '../wiring/settings.ts'
import { pageLinksOf, startPager } from './pager-cell.ts'
import { sendAnswers } from './queries.ts'
import { kindOf, startRendering } from './rendering.ts'
import { createSender, DRAIN_MS } from './sender-cell.ts'

/** For template threads and connections to end at a stop; afterwards they end with the thread. */
const CLOSE_GRACE_MS = 250

/** Runs one sender for each enabled channel, the pager, and the render pool that the senders share. */
export function sendThread(boot: SendBoot, { link }: ThreadContext, { spawn, log, meters }: ThreadDeps): ThreadBody {
  const store = link('store')
  const storage: Ref<Settle | SettlePage> = store.outlet('storage', settlementWindow(boot))
  const { pool, watch, tryTemplates } = startRendering(boot, log)
  const post = createPost()
  const print = printer()
  const links = pageLinksOf(boot)
  const senders = boot.channels.map((channel) => {
    const open = () => kindOf(channel.name).create(channel.options, { post, print, now: () => systemClock.now() })
    return createSender({ spawn, store, boot, channel, open, storage, pool, links, log, meters })
  })
  const pager = startPager(boot, { spawn, store, storage, post, links, drainMs: DRAIN_MS, log, meters })
  const cells = [...senders.map(({ cell }) => cell), ...pager]
  whenFirstUp(store, tryTemplates)
  const answers = sendAnswers({ senders, pool, disabledTemplates: boot.disabledTemplates })
  return {
    cells,
    ask: (_actor, query) => answerFrom(answers, query),
    async stop() {
      await Promise.all(cells.map((cell) => cell.drain()))
      await Promise.all(cells.map((cell) => cell.close()))
      watch?.close()
      // A template that does not end, or a provider that does not answer, must not hold up the stop.
      await Promise.race([Promise.all([pool.close(), post.close()]), pause(CLOSE_GRACE_MS)])
    },
  }
}

/** Runs `act` once, in a turn of its own, when the link is first up: the start of the thread does not wait for it. */
function whenFirstUp(link: Link, act: () => void): void {
  let done = false
  link.watch((up) => {
    if (!up || done) return
    done = true
    setImmediate(act)
  })
}
