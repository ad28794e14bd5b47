import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import fc from 'fast-check'
import type { Link } from '../../src/kernel/link.ts'
import { ManualPort } from './support/by-hand.ts'
import { LinkModel, type Step, step } from './support/model.ts'

interface Wire {
  /** Opens a channel for both sides. */
  open(): readonly [MessagePort, MessagePort]
  /** Delivers some of the posted frames. */
  deliver(): void | Promise<void>
}

function wireByHand(): Wire {
  const ends: ManualPort[] = []
  return {
    open() {
      const channel = ManualPort.channel()
      ends.push(...channel)
      return [channel[0].port, channel[1].port]
    },
    deliver() {
      for (const end of ends) end.deliver()
    },
  }
}

const realWire = (): Wire => ({
  open() {
    const { port1, port2 } = new MessageChannel()
    return [port1, port2]
  },
  deliver: () => nextTurn(),
})

async function run(steps: readonly Step[], wire: Wire): Promise<void> {
  const model = new LinkModel()
  try {
    await drive(model, steps, wire)
  } finally {
    model.sender.detach()
    model.receiver.detach()
  }
}

/** Each end of a channel is attached at most once, as by the supervisor; one side may be ahead of the other. */
async function drive(model: LinkModel, steps: readonly Step[], { open, deliver }: Wire): Promise<void> {
  let ends: (MessagePort | undefined)[] = []
  const renew = () => {
    ends = [...open()]
  }
  const attach = (link: Link, at: 0 | 1) => {
    const port = ends[at]
    ends[at] = undefined
    if (port) link.attach(port)
  }
  const act: { [name in Exclude<Step['do'], 'tell' | 'take' | 'free' | 'wait'>]: () => void | Promise<void> } = {
    'flush sender': () => model.near.passAll(),
    'flush receiver': () => model.far.passAll(),
    deliver,
    'detach sender': () => model.sender.detach(),
    'detach receiver': () => model.receiver.detach(),
    'new channel': renew,
    'attach sender': () => attach(model.sender, 0),
    'attach receiver': () => attach(model.receiver, 1),
  }
  const connect = () => {
    renew()
    attach(model.sender, 0)
    attach(model.receiver, 1)
  }
  connect()
  for (const each of steps) {
    if (each.do === 'tell') model.tell(each.edge)
    else if (each.do === 'take' || each.do === 'free' || each.do === 'wait') model[each.do](each.pick)
    else await act[each.do]()
    model.check()
  }
  connect()
  for (const edge of ['far', 'other', 'near', 'far', 'other'] as const) model.tell(edge)
  await comeToRest(model, deliver)
  model.check()
  model.checkAtRest()
}

/** More rounds than the longest backlog needs. */
async function comeToRest(model: LinkModel, deliver: Wire['deliver']): Promise<void> {
  for (let round = 0; round < 30; round++) {
    model.near.passAll()
    await deliver()
    model.take(100)
    while (model.holding) model.free(0)
    model.far.passAll()
    await deliver()
  }
}

const steps = fc.array(step, { maxLength: 150, size: 'max' })

test('two links over manual ports, any interleaving: within capacity, in order, nothing lost or doubled', async () => {
  await fc.assert(
    fc.asyncProperty(steps, (each) => run(each, wireByHand())),
    { seed: 4713, numRuns: 500 },
  )
})

test('two links over a real channel, any interleaving: within capacity, in order, nothing lost or doubled', async () => {
  await fc.assert(
    fc.asyncProperty(steps, (each) => run(each, realWire())),
    { seed: 4714, numRuns: 60 },
  )
})
