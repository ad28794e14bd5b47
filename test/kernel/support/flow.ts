import { MessageChannel } from 'node:worker_threads'
import { Link, type OnLostTell } from '../../../src/kernel/link.ts'
import { Mailbox, type Slot } from '../../../src/kernel/mailbox.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import { ManualPort, manualScheduler } from './by-hand.ts'

export interface Flow {
  readonly n: number
  readonly [more: string]: unknown
}

interface FlowSpec {
  readonly windows: { readonly [actor: string]: number }
  /** Default: the edge's window. */
  readonly capacity?: number
  readonly onLost?: OnLostTell
}

/** Two joined links, with a mailbox for each edge, whose turns the test runs. */
export function flow({ windows, capacity, onLost }: FlowSpec) {
  const near = manualScheduler()
  const far = manualScheduler()
  const sender = new Link('receiver', near.scheduler, onLost)
  const receiver = new Link('sender', far.scheduler, onLost)
  const newMailbox = (places: number) => new Mailbox<Flow>({ capacity: places })
  const mailboxes = new Map<string, Mailbox<Flow>>()
  const outlets = new Map<string, Ref<Flow>>()
  let ports: readonly ManualPort[] = []
  let real: MessageChannel | undefined
  let held: Slot[] = []
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
      const [one, two] = ManualPort.channel()
      ports = [...ports, one, two]
      sender.attach(one.port)
      receiver.attach(two.port)
    },
    connectReal() {
      real = new MessageChannel()
      sender.attach(real.port1)
    },
    closeReal: () => real?.port2.close(),
    /** Delivers everything that is under way, in both directions. */
    exchange() {
      for (const { passAll } of [near, far]) {
        passAll()
        deliverAll()
      }
    },
    takeAll(actor: string): number[] {
      const { messages, slots } = (mailboxes.get(actor) ?? fail(actor)).take(Number.POSITIVE_INFINITY)
      held.push(...slots)
      return messages.map(({ n }) => n)
    },
    freeOne: () => held.shift()?.free(),
    freeAll() {
      const all = held
      held = []
      for (const slot of all) slot.free()
    },
  }
}

const fail = (actor: string): never => {
  throw new Error(`no edge to ${actor}`)
}
