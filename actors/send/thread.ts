import { setTimeout as pause } from 'node:timers/promises'
import { ADAPTERS } from '../../src/channels/adapters/index.ts'
import type { Adapter, ChannelSettings } from '../../src/channels/channel.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { loadProvider, type OpenProvider } from '../../src/oncall/index.ts'
import { createPost } from '../../src/outbound/post.ts'
import { printer } from '../../src/telemetry/log.ts'
import { answerFrom } from '../messages/query.ts'
import { settlementWindow } from '../messages/settlement-window.ts'
import type { SettlePage } from '../messages/storage-pager.ts'
import type { Settle } from '../messages/storage-send.ts'
import type { SendBoot, ThreadDeps } from '../wiring/settings.ts'
import { pageLinksOf, startPager } from './pager-cell.ts'
import { sendAnswers } from './queries.ts'
import { openPool, trySamples, useTemplates } from './rendering.ts'
import { createSender, DRAIN_MS } from './sender-cell.ts'

/** For template threads and connections to end at a stop; afterwards they end with the thread. */
const CLOSE_GRACE_MS = 250
/** Time without samples after the start, so that the backlog of an earlier life and the first incidents go first. */
const SAMPLES_AFTER_MS = 1_000

/**
 * Runs one sender for each enabled channel, the pager, and the render pool that the senders share. Resolves when
 * messages can be sent at once: a render thread has compiled the templates. Rejects with `template_invalid`.
 */
export async function sendThread(
  boot: SendBoot,
  { link }: ThreadContext,
  { spawn, log, meters }: ThreadDeps,
): Promise<ThreadBody> {
  const pool = openPool(boot, log)
  const [watch, { channels, openProvider }] = await Promise.all([useTemplates(pool, boot, log), loadCode(boot)])
  const store = link('store')
  const storage: Ref<Settle | SettlePage> = store.outlet('storage', settlementWindow(boot))
  const post = createPost()
  const print = printer()
  const links = pageLinksOf(boot)
  const senders = channels.map(({ channel, adapter }) => {
    const open = () => adapter.create(channel.options, { post, print, now: () => systemClock.now() })
    return createSender({ spawn, store, boot, channel, open, storage, pool, links, log, meters })
  })
  const pager = startPager(boot, { spawn, store, storage, post, openProvider, links, drainMs: DRAIN_MS, log, meters })
  const cells = [...senders.map(({ cell }) => cell), ...pager]
  setTimeout(() => void trySamples(pool, log), SAMPLES_AFTER_MS)
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

/** The code that the settings ask for. */
interface Code {
  readonly channels: readonly { readonly channel: ChannelSettings; readonly adapter: Adapter<unknown> }[]
  readonly openProvider: OpenProvider | undefined
}

/** Loads the adapters of the enabled channels and the chosen provider; then shrinks the heap, while templates compile. */
async function loadCode({ channels, oncall }: SendBoot): Promise<Code> {
  const adapters = channels.map(async (channel) => ({ channel, adapter: await ADAPTERS[channel.name]() }))
  const loaded = await Promise.all([Promise.all(adapters), oncall && loadProvider(oncall)])
  shrinkHeap()
  return { channels: loaded[0], openProvider: loaded[1] }
}
