import assert from 'node:assert/strict'
import type { SenderMail } from '../../../actors/messages/mailboxes.ts'
import type { Settle } from '../../../actors/messages/storage-send.ts'
import { senderActor } from '../../../actors/send/sender.ts'
import { channelTransport, type Transport, type TransportThrottle } from '../../../actors/send/transport.ts'
import { createDestinationThrottle } from '../../../src/channels/destination/throttle.ts'
import type { Outcome } from '../../../src/domain/delivery/delivery.ts'
import type { Dispatch, MessageDispatch, Settlement } from '../../../src/domain/delivery/dispatch.ts'
import type { Message } from '../../../src/domain/delivery/message.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import type { Rendered } from '../../../src/render/pool/pool.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'
import { dispatch } from '../support.ts'

export const SENT: Outcome = { kind: 'sent' }

interface Parts<D extends Dispatch, M> {
  readonly transport: Transport<D, M>
  readonly throttle: TransportThrottle
  readonly concurrency: number
  readonly attempts: number
  readonly clock: ManualClock
}

/** One sender, with a storage that keeps what is settled. */
export function senderOver<D extends Dispatch, M>({ attempts, clock, ...parts }: Parts<D, M>) {
  const { scheduler, passAll } = manualScheduler()
  const storage = new Mailbox<Settle>({ capacity: 64 })
  const toStorage = nearRef<Settle>('storage', storage, 64)
  const leads = { now: true }
  const faults: string[] = []
  const cell = new Cell<SenderMail<D>>(
    {
      name: 'sender',
      batch: 64,
      slots: 'held',
      mailbox: { capacity: 64 },
      build: () =>
        senderActor({
          ...parts,
          clock,
          storage: toStorage,
          policy: { attempts, initialMs: 1, maxMs: 1 },
          mayBegin: () => leads.now,
          timeoutMs: 10_000,
          drainMs: 4_000,
          random: () => 0,
          attempted() {},
          failed: (error) => void faults.push(error instanceof Error ? error.message : String(error)),
        }),
    },
    { clock, scheduler, report: { failed() {}, deadLetter() {} } },
  )
  const pass = async () => {
    for (let round = 0; round < 5; round++) {
      passAll()
      await new Promise(setImmediate)
    }
  }
  const tell = async (...mails: SenderMail<D>[]) => {
    for (const mail of mails) assert.ok(cell.mailbox.offer(mail))
    await pass()
  }
  const settled = (): Settlement[] => {
    const { messages, slots } = storage.take(64)
    for (const slot of slots) slot.free()
    return messages.map(({ settlement }) => settlement)
  }
  return { cell, clock, leads, faults, pass, tell, settled, occupied: () => cell.mailbox.occupied }
}

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
  const sent: number[] = []
  const transport = channelTransport({
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
  })
  const throttle = createDestinationThrottle({ rate, circuit: { failures: 3, openForMs: 30_000 } }, clock)
  const sender = senderOver({ transport, throttle, concurrency, attempts: 10, clock })
  const deliver = (incident: number, target?: string) => ({
    kind: 'deliver' as const,
    dispatch: { ...dispatch(incident, target), id: String(incident) },
  })
  const deliverTo = (target: string | undefined, ...incidents: number[]) =>
    sender.tell(...incidents.map((incident) => deliver(incident, target)))
  const deliverWith = (incident: number, changes: Partial<MessageDispatch>) =>
    sender.tell({ kind: 'deliver', dispatch: { ...deliver(incident).dispatch, ...changes } })
  const deliverEdit = (edits: string, incident: number) => deliverWith(incident, { edits })
  return {
    ...sender,
    sent,
    deliverTo,
    deliverEdit,
    deliverWith,
    deliver: (...incidents: number[]) => deliverTo(undefined, ...incidents),
    verdicts: () => sender.settled().map(({ incident, verdict }) => [incident, verdict.state]),
  }
}
