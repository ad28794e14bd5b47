import type { Channel, ChannelSettings } from '../../src/channels/channel.ts'
import { createDestinationThrottle } from '../../src/channels/destination/throttle.ts'
import type { MessageDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { Link } from '../../src/kernel/link.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import type { RenderItem, RenderPool } from '../../src/render/pool/pool.ts'
import type { SenderMail } from '../messages/mailboxes.ts'
import type { SenderState } from '../messages/send-queries.ts'
import { PAUSE_WINDOW, type Settle, senderName } from '../messages/storage-send.ts'
import type { SendBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { logAttempt } from './attempt.ts'
import type { Buttons } from './buttons.ts'
import { countAttempt, countPersonal } from './count-attempts.ts'
import { senderActor } from './sender.ts'
import { createTestMessage } from './test-message.ts'
import { channelTransport } from './transport.ts'

const DRAIN_MS = 4_000

/**
 * Returns the time that sends under way get at the end. Then they are aborted, and their outcome is recorded as unknown.
 * Where another replica waits for the lease, all channels stand until then: with half a lease, and the start of its
 * threads, not for longer than if this one had crashed.
 */
export const drainMsOf = ({ postgres }: Pick<SendBoot, 'postgres'>): number =>
  postgres === undefined ? DRAIN_MS : Math.min(DRAIN_MS, postgres.leaseMs / 2)

export type Sender = ReturnType<typeof createSender>

interface SenderCellDeps extends Pick<ThreadDeps, 'spawn' | 'clock' | 'lease' | 'log' | 'meters'> {
  readonly store: Link
  readonly boot: SendBoot
  readonly channel: ChannelSettings
  readonly storage: Ref<Settle>
  readonly pool: RenderPool
  /** As `messageLinkOf` returns it. */
  ackUrl(dispatch: MessageDispatch): string | undefined
  /** Absent: no message of the channel has buttons. */
  readonly buttons?: Buttons | undefined
  open(): Channel
}

/** Starts the sender of one channel. Returns it with the questions that it answers. */
export function createSender(deps: SenderCellDeps) {
  const { spawn, clock, lease, store, boot, channel, open, storage, pool, ackUrl, buttons, log, meters } = deps
  const { name, rate, concurrency, mailbox } = channel
  const { retry: policy, timeoutMs, circuit } = boot.delivery
  const throttle = createDestinationThrottle({ rate, circuit }, clock)
  const gauge = { sending: 0 }
  const render = (items: readonly RenderItem[]) => pool.render(name, items)
  const failed = (error: unknown) =>
    log.error({ channel: name, error: String(error) }, 'a bug in the sender; its deliveries are tried again')
  let current: Channel
  const { cell } = spawn<SenderMail<MessageDispatch>>({
    name: senderName(name),
    places: mailbox + PAUSE_WINDOW,
    batch: 256,
    slots: 'held',
    from: [store],
    watch: [store],
    build() {
      current = open()
      return senderActor({
        transport: channelTransport({
          channel: current,
          agentTemplate: channel.agentTemplatePath,
          render,
          ackUrl,
          ...(buttons && { answers: buttons.of }),
        }),
        storage,
        throttle,
        gauge,
        policy,
        concurrency,
        timeoutMs,
        clock,
        mayBegin: () => lease.holds(),
        drainMs: drainMsOf(boot),
        random: Math.random,
        attempted(dispatch, attempt, verdict) {
          countAttempt(meters.channels[name], { dispatch, attempt, verdict })
          countPersonal(meters.oncall, name, { dispatch, verdict })
          const { id, destination } = dispatch
          logAttempt(log, { id, channel: destination }, { attempt, verdict, level: 'debug' }, DELIVERY)
        },
        failed,
      })
    },
  })
  const operator = nearRef<SenderMail<MessageDispatch>>(cell.spec.name, cell.mailbox, PAUSE_WINDOW)
  return {
    channel: name,
    cell,
    pause: (paused: boolean): void => void operator.tell({ kind: 'pause', paused }),
    state: (): SenderState => ({
      channel: name,
      mailbox: { depth: cell.mailbox.occupied, capacity: mailbox },
      sending: gauge.sending,
      destinations: throttle.states(),
    }),
    sendTestMessage: createTestMessage({
      ...{ channel: () => current, throttle, clock, timeoutMs, render, failed },
      ...(buttons && { button: buttons.test }),
    }),
  }
}

const DELIVERY = {
  sent: 'delivered',
  again: 'a delivery failed; it is tried again',
  dead: 'a delivery is dead: it was given up',
}
