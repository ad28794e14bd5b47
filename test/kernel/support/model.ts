import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Link } from '../../../src/kernel/link.ts'
import { Mailbox, type Slot } from '../../../src/kernel/mailbox.ts'
import { nearRef, type Ref } from '../../../src/kernel/ref.ts'
import { manualScheduler } from './by-hand.ts'

/** `incarnation` counts the attachments of the sender. */
interface Numbered {
  readonly edge: string
  readonly incarnation: number
  readonly n: number
}

const CAPACITIES = { shared: 5, own: 2 } as const
/** Two far edges; one of them shares its mailbox with a near edge. */
const EDGES = [
  { edge: 'far', mailbox: 'shared', window: 3 },
  { edge: 'other', mailbox: 'own', window: 2 },
  { edge: 'near', mailbox: 'shared', window: 2 },
] as const
type EdgeName = (typeof EDGES)[number]['edge']

export type Step =
  | { readonly do: 'tell'; readonly edge: EdgeName }
  | { readonly do: 'take' | 'free' | 'wait'; readonly pick: number }
  | { readonly do: 'flush sender' | 'flush receiver' | 'deliver' }
  | { readonly do: 'detach sender' | 'detach receiver' | 'new channel' | 'attach sender' | 'attach receiver' }

const alone = (...names: Exclude<Step['do'], 'tell' | 'take' | 'free' | 'wait'>[]) =>
  fc.constantFrom(...names).map((name): Step => ({ do: name }))
const picking = (name: 'take' | 'free' | 'wait') => fc.nat(20).map((pick): Step => ({ do: name, pick }))

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom<EdgeName>('far', 'other', 'near').map((edge): Step => ({ do: 'tell', edge })),
  },
  { weight: 12, arbitrary: alone('flush sender', 'flush receiver', 'deliver') },
  { weight: 6, arbitrary: picking('take') },
  { weight: 8, arbitrary: picking('free') },
  { weight: 3, arbitrary: picking('wait') },
  { weight: 2, arbitrary: alone('new channel', 'attach sender', 'attach receiver') },
  { weight: 1, arbitrary: alone('detach sender', 'detach receiver') },
)

/** Two links over channels of the test, with the invariants of each step. */
export class LinkModel {
  readonly near = manualScheduler()
  readonly far = manualScheduler()
  readonly sender = new Link('receiver', this.near.scheduler)
  readonly receiver = new Link('sender', this.far.scheduler)
  readonly mailboxes: { readonly [name in keyof typeof CAPACITIES]: Mailbox<Numbered> } = {
    shared: new Mailbox({ capacity: CAPACITIES.shared }),
    own: new Mailbox({ capacity: CAPACITIES.own }),
  }
  readonly #refs = new Map<EdgeName, Ref<Numbered>>()
  readonly #sent: Numbered[] = []
  readonly #taken: Numbered[] = []
  readonly #held: Slot[] = []
  readonly #waits: number[] = []
  #incarnation = 0

  constructor() {
    for (const { edge, mailbox, window } of EDGES) {
      const box = this.mailboxes[mailbox]
      this.#refs.set(edge, edge === 'near' ? nearRef(edge, box, window) : this.sender.outlet<Numbered>(edge, window))
      if (edge !== 'near') this.receiver.inlet(edge, box)
    }
    this.sender.watch((up) => {
      if (up) this.#incarnation++
    })
  }

  tell(edge: EdgeName): void {
    const ref = this.#ref(edge)
    const message = { edge, incarnation: edge === 'near' ? 0 : this.#incarnation, n: this.#sent.length }
    const room = ref.room
    assert.equal(ref.tell(message), room > 0)
    if (room > 0) this.#sent.push(message)
  }

  take(max: number): void {
    for (const mailbox of Object.values(this.mailboxes)) {
      const { messages, slots } = mailbox.take(max)
      this.#taken.push(...messages)
      this.#held.push(...slots)
    }
  }

  free(pick: number): void {
    if (this.#held.length > 0) this.#held.splice(pick % this.#held.length, 1)[0]?.free()
  }

  get holding(): boolean {
    return this.#held.length > 0
  }

  wait(pick: number): void {
    const ref = this.#ref(EDGES[pick % EDGES.length]?.edge ?? 'far')
    const me = this.#waits.push(0) - 1
    ref.whenRoom(() => {
      this.#waits[me] = ref.room > 0 ? (this.#waits[me] ?? 0) + 1 : Number.NaN
    })
  }

  check(): void {
    for (const { edge, window } of EDGES) {
      const { room, outstanding } = this.#ref(edge)
      assert.ok(outstanding >= 0 && outstanding <= window && room <= window)
      this.#checkOrder(edge)
    }
    for (const mailbox of Object.values(this.mailboxes)) assert.ok(mailbox.occupied <= mailbox.spec.capacity)
    assert.equal(this.sender.counts.misdirected + this.receiver.counts.misdirected, 0)
    assert.ok(this.#waits.every((times) => times <= 1))
  }

  /** Checks the end state: all messages have arrived and their slots are free. */
  checkAtRest(): void {
    const sent = this.#sent.filter(({ edge, incarnation }) => edge === 'near' || incarnation === this.#incarnation)
    const taken = new Set(this.#taken)
    const arrived = new Set([...taken].map(({ n }) => n))
    assert.deepEqual(
      sent.filter(({ n }) => !arrived.has(n)),
      [],
      'lost',
    )
    for (const { edge, window } of EDGES) {
      assert.equal(this.#ref(edge).outstanding, 0)
      assert.equal(this.#ref(edge).room, window)
    }
    for (const mailbox of Object.values(this.mailboxes)) assert.equal(mailbox.occupied, 0)
    assert.ok(this.#waits.every((times) => times === 1))
  }

  /** Messages of each incarnation arrive in order, once, without gaps; only the last ones may be lost. */
  #checkOrder(edge: EdgeName): void {
    const taken = this.#taken.filter((message) => message.edge === edge)
    taken.forEach(({ n }, at) => assert.ok(at === 0 || n > (taken[at - 1]?.n ?? -1), 'out of order, or twice'))
    for (const incarnation of new Set(taken.map((message) => message.incarnation))) {
      const sent = this.#sent.filter((message) => message.edge === edge && message.incarnation === incarnation)
      const ofIncarnation = taken.filter((message) => message.incarnation === incarnation)
      assert.deepEqual(ofIncarnation, sent.slice(0, ofIncarnation.length))
    }
  }

  #ref(edge: EdgeName): Ref<Numbered> {
    const ref = this.#refs.get(edge)
    assert.ok(ref)
    return ref
  }
}
