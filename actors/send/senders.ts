import { ADAPTERS } from '../../src/channels/adapters/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { ThreadContext } from '../../src/kernel/thread.ts'
import { loadProvider } from '../../src/oncall/index.ts'
import { createPost } from '../../src/outbound/post.ts'
import type { RenderPool } from '../../src/render/pool/pool.ts'
import { printer } from '../../src/telemetry/log.ts'
import { settlementWindow } from '../messages/settlement-window.ts'
import type { Settle } from '../messages/storage-send.ts'
import type { SendBoot, ThreadDeps } from '../wiring/settings.ts'
import { pageLinksOf, startPager } from './pager-cell.ts'
import { createSender, DRAIN_MS } from './sender-cell.ts'

/**
 * Loads the adapters of the enabled channels and the chosen on-call provider, and starts a sender for each channel and
 * the pager. `post` makes all their requests.
 */
export async function startSenders(
  boot: SendBoot,
  { link }: Pick<ThreadContext, 'link'>,
  { spawn, log, meters, pool }: ThreadDeps & { readonly pool: RenderPool },
) {
  const loading = boot.channels.map(async (channel) => ({ channel, adapter: await ADAPTERS[channel.name]() }))
  const [channels, openProvider] = await Promise.all([Promise.all(loading), boot.oncall && loadProvider(boot.oncall)])
  const store = link('store')
  const storage: Ref<Settle> = store.outlet('storage', settlementWindow(boot))
  const post = createPost()
  const print = printer()
  const links = pageLinksOf(boot)
  const senders = channels.map(({ channel, adapter }) => {
    const open = () => adapter.create(channel.options, { post, print, now: () => systemClock.now() })
    return createSender({ spawn, store, boot, channel, open, storage, pool, links, log, meters })
  })
  const pager = startPager(boot, { spawn, store, storage, post, openProvider, links, drainMs: DRAIN_MS, log, meters })
  return { senders, cells: [...senders.map(({ cell }) => cell), ...pager], post }
}
