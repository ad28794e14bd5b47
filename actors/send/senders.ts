import { ADAPTERS } from '../../src/channels/adapters/index.ts'
import type { GatewayPage } from '../../src/domain/delivery/dispatch.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { ThreadContext } from '../../src/kernel/thread.ts'
import type { GatewayDeps } from '../../src/oncall/gateway.ts'
import { loadProvider } from '../../src/oncall/index.ts'
import type { Provider } from '../../src/oncall/provider.ts'
import type { NetworkSettings } from '../../src/outbound/network.ts'
import { createPost } from '../../src/outbound/post.ts'
import type { RenderPool } from '../../src/render/pool/pool.ts'
import { printer } from '../../src/telemetry/log.ts'
import type { Settle } from '../messages/storage-send.ts'
import { settlementWindow } from '../messages/storage-send.ts'
import type { SendBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { ackKeyOf } from './ack-key.ts'
import { openButtonsOf } from './buttons.ts'
import { messageLinkOf, pageLinksOf, personalLinkOf, startPager } from './pager-cell.ts'
import { createSender, drainMsOf } from './sender-cell.ts'

/**
 * Loads the adapters of the enabled channels and the chosen on-call provider, and starts a sender for each channel and
 * the pager. A channel with network settings of its own has connections of its own.
 */
export async function startSenders(
  boot: SendBoot,
  { link }: Pick<ThreadContext, 'link'>,
  deps: ThreadDeps & { readonly pool: RenderPool },
) {
  const { clock } = deps
  const loading = boot.channels.map(async (channel) => ({ channel, adapter: await ADAPTERS[channel.name]() }))
  const [channels, openProvider] = await Promise.all([Promise.all(loading), boot.oncall && loadProvider(boot.oncall)])
  const store = link('store')
  const storage: Ref<Settle> = store.outlet('storage', settlementWindow(boot))
  const post = createPost()
  const posts = [post]
  const postFor = (network: NetworkSettings) => {
    if (network.proxy === '' && !network.insecureSkipVerify) return post
    const own = createPost(network)
    posts.push(own)
    return own
  }
  const print = printer()
  const ackKey = await ackKeyOf(boot)
  const links = pageLinksOf(boot, ackKey)
  const ackUrl = messageLinkOf(boot, ackKey, links)
  const buttonsOf = openButtonsOf(boot, ackKey, () => clock.now())
  const senders = channels.map(({ channel, adapter }) => {
    const { network, options } = channel
    const around = { post: postFor(network), network, print, publicHost: boot.publicHost, now: () => clock.now() }
    const open = () => adapter.create(options, around)
    return createSender({ ...deps, store, boot, channel, open, storage, ackUrl, buttons: buttonsOf(channel.name) })
  })
  const gateways = await gatewaysOf(boot, { post, link: personalLinkOf(boot, ackKey), now: () => clock.now() })
  const around = { store, storage, post, openProvider, gateways, links, drainMs: drainMsOf(boot) }
  const pager = startPager(boot, { ...deps, ...around })
  return {
    senders,
    ackKey,
    testing: {
      ...{ clock, gateways, timeoutMs: boot.delivery.timeoutMs },
      provider: openProvider?.({ post, links: NO_LINKS, now: () => clock.now() }),
      failed: (error: unknown) => deps.log.error({ error: String(error) }, 'a bug in a test page'),
    },
    cells: [...senders.map(({ cell }) => cell), ...pager],
    /** Waits for requests under way. */
    closeConnections: () => Promise.all(posts.map((each) => each.close())),
  }
}

/** There is no incident behind a test page. */
const NO_LINKS = { ack: () => undefined, incident: () => undefined }

/** Loads the code of the gateways where one is configured. */
async function gatewaysOf(
  { escalations, publicHost }: SendBoot,
  around: Pick<GatewayDeps, 'post' | 'link' | 'now'>,
): Promise<Provider<GatewayPage> | undefined> {
  if (escalations === undefined || escalations.gateways.size === 0) return undefined
  const { openGateways } = await import('../../src/oncall/gateway.ts')
  return openGateways({ ...around, gateways: escalations.gateways, publicHost })
}
