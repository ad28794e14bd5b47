import assert from 'node:assert/strict'
import type { SenderMail } from '../../../actors/messages/mailboxes.ts'
import type { Settle } from '../../../actors/messages/storage-send.ts'
import { senderActor } from '../../../actors/send/sender.ts'
import { channelTransport } from '../../../actors/send/transport.ts'
import { createDestinationThrottle } from '../../../src/channels/destination/throttle.ts'
import type { Outcome } from '../../../src/domain/delivery.ts'
import type { MessageDispatch, Settlement } from '../../../src/domain/dispatch.ts'
import type { Message } from '../../../src/domain/message.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import type { Rendered } from '../../../src/render/pool/pool.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'
import { dispatch } from '../support.ts'

export const SENT: Outcome = { kind: 'sent' }

interface Fakes {
  readonly concurrency?: number
  readonly rendered?: Pick<Rendered, 'failure'>
  readonly rate?: { readonly perSecond: number; readonly burst: number }
  render?(count: number): Promise<void>
  send?(message: Message, signal: AbortSignal): Promise<Outcome>
  edit?(message: Message, messageId: string): Promise<Outcome>
}

/** One sender with a fake channel and a fake render pool. */
export function setup({ concurrency = 16, rate = { perSecond: 1_000, burst: 1_000 }, ...fakes }: Fakes) {
  const clock = new ManualClock()
  const { scheduler, passAll } = manualScheduler()
  const storage = new Mailbox<Settle>({ capacity: 64 })
  const sent: number[] = []
  const leads = { now: true }
  const throttle = createDestinationThrottle({ rate, circuit: { failures: 3, openForMs: 30_000 } }, clock)
  const toStorage = nearRef<Settle>('storage', storage, 64)
  const cell = new Cell<SenderMail<MessageDispatch>>(
    {
      name: 'sender/chatws',
      batch: 64,
      slots: 'held',
      mailbox: { capacity: 64 },
      build: () =>
        senderActor({
          transport: channelTransport({
            channel: {
              destination: ({ target }) => target ?? 'default',
              send(message, signal) {
                sent.push(Number(message.incidentId))
                return fakes.send?.(message, signal) ?? Promise.resolve(SENT)
              },
              ...(fakes.edit && { edit: fakes.edit }),
              async close() {},
            },
            agentTemplate: '',
            ackUrl: () => undefined,
            async render(items) {
              await fakes.render?.(items.length)
              return items.map((): Rendered => ({ text: 'text', renderMs: 0, ...fakes.rendered }))
            },
          }),
          storage: toStorage,
          policy: { attempts: 10, initialMs: 1, maxMs: 1 },
          throttle,
          concurrency,
          clock,
          mayBegin: () => leads.now,
          timeoutMs: 10_000,
          drainMs: 4_000,
          random: () => 0,
          attempted() {},
          failed() {},
        }),
    },
    { clock, scheduler, report: { failed() {}, deadLetter() {} } },
  )
  const pass = async () => {
    passAll()
    await new Promise(setImmediate)
  }
  const tell = async (mail: SenderMail<MessageDispatch>) => {
    assert.ok(cell.mailbox.offer(mail))
    await pass()
  }
  const deliverTo = async (target: string | undefined, ...incidents: number[]) => {
    for (const incident of incidents) {
      assert.ok(
        cell.mailbox.offer({ kind: 'deliver', dispatch: { ...dispatch(incident, target), id: String(incident) } }),
      )
    }
    await pass()
  }
  const deliverEdit = (edits: string, incident: number) =>
    tell({ kind: 'deliver', dispatch: { ...dispatch(incident), id: String(incident), edits } })
  const settled = (): Settlement[] => {
    const { messages, slots } = storage.take(64)
    for (const slot of slots) slot.free()
    return messages.map(({ settlement }) => settlement)
  }
  return {
    cell,
    clock,
    leads,
    sent,
    pass,
    tell,
    deliverTo,
    deliverEdit,
    settled,
    deliver: (...incidents: number[]) => deliverTo(undefined, ...incidents),
    verdicts: () => settled().map(({ incident, verdict }) => [incident, verdict.state]),
    occupied: () => cell.mailbox.occupied,
  }
}
