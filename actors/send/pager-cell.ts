import { answerKey } from '../../src/answers/token.ts'
import { createCircuitBreakers } from '../../src/channels/destination/circuit-breakers.ts'
import type { GatewayPage, MessageDispatch, PagerDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { Cell } from '../../src/kernel/cell.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { linkPath } from '../../src/oncall/ack-links.ts'
import type { OpenProvider } from '../../src/oncall/index.ts'
import type { PageLinks, Provider } from '../../src/oncall/provider.ts'
import type { Post } from '../../src/outbound/provider-client.ts'
import { incidentLink } from '../../src/render/text/incident-facts.ts'
import type { SenderMail } from '../messages/mailboxes.ts'
import { PAGE_WINDOW, type Settle, senderName } from '../messages/storage-send.ts'
import type { SendBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import type { AckKey } from './ack-key.ts'
import { logAttempt } from './attempt.ts'
import { countPage, countPersonal } from './count-attempts.ts'
import { senderActor } from './sender.ts'
import { circuitThrottle, providerTransport } from './transport.ts'

/** Requests to the provider under way at once. Large: a page that is due should not wait for another. */
const CONCURRENCY = 32

interface PagerCellDeps extends Pick<ThreadDeps, 'spawn' | 'clock' | 'lease' | 'log' | 'meters'> {
  readonly store: Link
  readonly storage: Ref<Settle>
  readonly post: Post
  /** Undefined exactly when no provider is configured; likewise `gateways`. */
  readonly openProvider: OpenProvider | undefined
  readonly gateways: Provider<GatewayPage> | undefined
  readonly links: PageLinks
  readonly drainMs: number
}

/** Starts the pager with its provider, its gateways and its edges to storage. Returns no cell when there is neither. */
export function startPager({ delivery }: SendBoot, deps: PagerCellDeps): Cell<SenderMail<PagerDispatch>>[] {
  const { openProvider, gateways } = deps
  if (!openProvider && !gateways) return []
  const { spawn, clock, lease, store, log, meters, storage, post, links, drainMs } = deps
  const { retry: policy, timeoutMs, circuit } = delivery
  const throttle = circuitThrottle(createCircuitBreakers(circuit, clock))
  const { cell } = spawn<SenderMail<PagerDispatch>>({
    name: senderName('oncall'),
    places: PAGE_WINDOW,
    batch: PAGE_WINDOW,
    slots: 'held',
    from: [store],
    watch: [store],
    build: () =>
      senderActor({
        transport: providerTransport(eitherOf(openProvider?.({ post, links, now: () => clock.now() }), gateways)),
        storage,
        throttle,
        policy,
        timeoutMs,
        drainMs,
        clock,
        mayBegin: () => lease.holds(),
        concurrency: CONCURRENCY,
        random: Math.random,
        attempted(page, attempt, verdict) {
          if (page.kind === 'notice') {
            countPersonal(meters.oncall, 'gateway', { dispatch: page, verdict })
            return logAttempt(log, { gateway: page.gateway.name, message: page.number }, { attempt, verdict }, CALL)
          }
          countPage(meters.oncall, { page, attempt, verdict }, clock.now())
          const { id, signal } = page
          logAttempt(log, { id, signal }, { attempt, verdict }, signal === 'trigger' ? TRIGGER : UPDATE)
        },
        failed: (error) => log.error({ error: String(error) }, 'a bug in the pager; its pages are tried again'),
      }),
  })
  return [cell]
}

/** Storage has no dispatch for what is not configured, but for a moment around a reload. */
const NOT_CONFIGURED = { kind: 'failed', reason: 'it is not configured any more' } as const

function eitherOf(
  provider: Provider | undefined,
  gateways: Provider<GatewayPage> | undefined,
): Provider<PagerDispatch> {
  return {
    destination: (page) => (page.kind === 'page' ? provider?.destination(page) : gateways?.destination(page)) ?? '',
    send: async (page, ...around) =>
      (await (page.kind === 'page' ? provider?.send(page, ...around) : gateways?.send(page, ...around))) ??
      NOT_CONFIGURED,
  }
}

/** Returns the URLs in pages and messages. They are undefined without `public_host`, and where nothing pages. */
export function pageLinksOf({ oncall, escalations, publicHost }: SendBoot, ackKey: AckKey): PageLinks {
  if ((oncall ?? escalations) === undefined || publicHost === '')
    return { ack: () => undefined, incident: () => undefined }
  const key = ackKey.open()
  return {
    ack: (incident) => (incident.status === 'resolved' ? undefined : publicHost + linkPath(key, incident)),
    incident: ({ id }) => incidentLink(publicHost, id),
  }
}

/** Returns the link in a channel's message, to the page with the buttons or to acknowledge; undefined where it has none. */
export function messageLinkOf(boot: SendBoot, ackKey: AckKey, links: Pick<PageLinks, 'ack'>) {
  const { answerLinks, acknowledgeLinks, oncall, publicHost } = boot
  const key = answerLinks ? answerKey(ackKey.open()) : undefined
  const personalLink = personalLinkOf(boot, ackKey)
  return (dispatch: MessageDispatch): string | undefined => {
    const { id, createdAt, status, notice, pages, problem } = dispatch
    if (notice) return personalLink(dispatch)
    if (status === 'resolved') return undefined
    if (key) return publicHost + linkPath(key, { id, createdAt, problem }, 'answer')
    return acknowledgeLinks || (oncall && pages) ? links.ack(dispatch) : undefined
  }
}

/** Returns what makes the link with which one person answers a message; undefined: the message is for no person. */
export function personalLinkOf({ publicHost }: Pick<SendBoot, 'publicHost'>, ackKey: Pick<AckKey, 'open'>) {
  let key: Uint8Array | undefined
  return ({ notice, createdAt }: Pick<MessageDispatch | GatewayPage, 'notice' | 'createdAt'>): string | undefined => {
    if (notice?.kind !== 'page' || notice.person === undefined || publicHost === '') return undefined
    key ??= ackKey.open()
    return publicHost + linkPath(key, { id: String(notice.message), createdAt }, 'page')
  }
}

/** Without the address of the person. */
const CALL = {
  sent: 'a gateway took a page',
  again: 'a gateway did not take a page; it is tried again',
  dead: 'a page is dead: the gateway did not take it',
}
const TRIGGER = {
  sent: 'a page was sent',
  again: 'a page failed; it is tried again',
  dead: 'a page is dead: the on-call provider did not take it',
}
const UPDATE = {
  ...TRIGGER,
  dead: 'a page is dead: the on-call provider does not know that the incident was acknowledged or resolved',
}
