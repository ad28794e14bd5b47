import type { Channel } from '../../src/channels/channel.ts'
import { createGate } from '../../src/channels/destination/throttle.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { Cell } from '../../src/kernel/cell.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import type { ThreadContext } from '../../src/kernel/thread.ts'
import type { PageLinks } from '../../src/oncall/provider.ts'
import type { RenderItem, RenderPool } from '../../src/render/pool/pool.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Figures } from '../../src/telemetry/meters.ts'
import type { SenderMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import type { SenderState, TrialReport } from '../messages/send-queries.ts'
import { PAUSE_WINDOW, type Settle, senderName } from '../messages/storage-send.ts'
import { reports } from '../wiring/log-reports.ts'
import type { ChannelSettings, SendBoot } from '../wiring/settings.ts'
import { type Attempted, countAttempt } from './count-attempts.ts'
import { senderActor } from './sender.ts'
import { createTrial } from './test-message.ts'

/** What sends under way are given at the end; an outcome that is unknown then is told as one. */
export const DRAIN_MS = 4_000

/** One channel's SenderActor and what the thread is asked of it. */
export interface Sender {
  readonly channel: ChannelName
  readonly cell: Cell<SenderMail>
  pause(paused: boolean): void
  state(): SenderState
  tryOut(target?: string): Promise<TrialReport>
}

interface SenderParts extends Pick<ThreadContext, 'turns'> {
  readonly boot: SendBoot
  readonly channel: ChannelSettings
  readonly storage: Ref<Settle>
  readonly pool: RenderPool
  readonly links: PageLinks
  readonly log: Log
  readonly figures: Figures
  open(): Channel
}

export function createSender(parts: SenderParts): Sender {
  const { boot, channel, open, storage, pool, links, log, figures, turns } = parts
  const clock = systemClock
  const { name, rate, concurrency, mailbox } = channel
  const { retry: policy, timeoutMs, circuit } = boot.delivery
  const gate = createGate({ rate, circuit }, clock)
  const gauge = { sending: 0 }
  const render = (items: readonly RenderItem[]) => pool.render(name, items)
  const failed = (error: unknown) => log.error({ channel: name, error: String(error) }, 'a fault in the sender')
  let line: Channel
  const cell = new Cell<SenderMail>(
    {
      name: senderName(name),
      mailbox: { capacity: mailbox + PEER_WINDOW + PAUSE_WINDOW, whenFull: 'spill' },
      batch: 256,
      places: 'held',
      build() {
        line = open()
        return senderActor({
          channel: line,
          ...{ storage, gate, gauge, policy, concurrency, timeoutMs, clock, render },
          drainMs: DRAIN_MS,
          random: Math.random,
          ackUrl: (handout) => (boot.oncall?.enable && !handout.notice ? links.ack(handout) : undefined),
          attempted(handout, attempt, verdict) {
            countAttempt(figures.channels[name], { handout, attempt, verdict })
            logAttempt(log, { handout, attempt, verdict })
          },
          failed,
        })
      },
    },
    { clock, turns, report: reports(log).cell },
  )
  const operator = nearRef<SenderMail>(cell.spec.name, cell.mailbox, PAUSE_WINDOW)
  return {
    channel: name,
    cell,
    pause: (paused) => void operator.tell({ kind: 'pause', paused }),
    state: () => ({
      channel: name,
      mailbox: { depth: cell.mailbox.occupied, capacity: mailbox },
      sending: gauge.sending,
      destinations: gate.states(),
    }),
    tryOut: createTrial({ channel: () => line, gate, clock, timeoutMs, render, failed }),
  }
}

/** Success is the rule and only of interest when looked for. */
function logAttempt(log: Log, { handout: { id, channel }, attempt, verdict }: Attempted): void {
  const { number, outcome, detail, durationMs, mayDuplicate } = attempt
  const fields = { id, channel, attempt: number, outcome, detail, durationMs: Math.round(durationMs), mayDuplicate }
  switch (verdict.state) {
    case 'sent':
    case 'returned':
      return log.debug(fields, 'delivered')
    case 'pending':
      return log.warn(
        { ...fields, againAt: new Date(verdict.at).toISOString() },
        'a delivery failed and will be tried again',
      )
    case 'dead':
      return log.error({ ...fields, reason: verdict.reason }, 'a delivery is dead')
    default:
      verdict satisfies never
  }
}
