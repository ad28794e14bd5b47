import { MessageChannel } from 'node:worker_threads'
import { Link, type OnLostTell } from '../../../src/kernel/link.ts'
import { Mailbox, type Place } from '../../../src/kernel/mailbox.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import { PortByHand, turnsByHand } from './by-hand.ts'

export interface Flow {
  readonly n: number
  readonly [more: string]: unknown
}

interface FlowSpec {
  readonly windows: { readonly [actor: string]: number }
  /** Of every mailbox; by default its window. */
  readonly capacity?: number
  readonly onLost?: OnLostTell
}

/** A sender's link and a receiver's, with a mailbox for each edge, driven by hand. */
export function flow({ windows, capacity, onLost }: FlowSpec) {
  const near = turnsByHand()
  const far = turnsByHand()
  const sender = new Link('receiver', near.turns, onLost)
  const receiver = new Link('sender', far.turns, onLost)
  const newMailbox = (places: number) => new Mailbox<Flow>({ capacity: places, whenFull: 'wait' })
  const mailboxes = new Map<string, Mailbox<Flow>>()
  const outlets = new Map<string, Ref<Flow>>()
  let ports: readonly PortByHand[] = []
  let real: MessageChannel | undefined
  let held: Place[] = []
  for (const [actor, window] of Object.entries(windows)) {
    const mailbox = newMailbox(capacity ?? window)
    mailboxes.set(actor, mailbox)
    outlets.set(actor, sender.outlet<Flow>(actor, window))
    receiver.inlet(actor, mailbox)
  }
  const deliverAll = () => {
    for (let some = true; some; ) some = ports.map((port) => port.deliver()).includes(true)
  }
  return {
    near,
    far,
    sender,
    receiver,
    newMailbox,
    outlet: (actor: string) => outlets.get(actor) ?? fail(actor),
    deliverAll,
    connect() {
      const [one, two] = PortByHand.channel()
      ports = [...ports, one, two]
      sender.attach(one.port)
      receiver.attach(two.port)
    },
    connectReal() {
      real = new MessageChannel()
      sender.attach(real.port1)
    },
    closeReal: () => real?.port2.close(),
    /** Everything that is on its way arrives. */
    settle() {
      for (const { passAll } of [near, far]) {
        passAll()
        deliverAll()
      }
    },
    takeAll(actor: string): number[] {
      const { messages, places } = (mailboxes.get(actor) ?? fail(actor)).take(Number.POSITIVE_INFINITY)
      held.push(...places)
      return messages.map(({ n }) => n)
    },
    settleOne: () => held.shift()?.settle(),
    settleAll() {
      const all = held
      held = []
      for (const place of all) place.settle()
    },
  }
}

const fail = (actor: string): never => {
  throw new Error(`no edge to ${actor}`)
}
