import { test } from 'node:test'
import fc from 'fast-check'
import type { Link } from '../../src/kernel/link.ts'
import { ManualPort } from './support/by-hand.ts'
import { LinkModel, type Step, step } from './support/model.ts'

function run(steps: readonly Step[]): void {
  const model = new LinkModel()
  try {
    drive(model, steps)
  } finally {
    model.sender.detach()
    model.receiver.detach()
  }
}

/** Each end of a channel is attached at most once, as by the supervisor; one side may be ahead of the other. */
function drive(model: LinkModel, steps: readonly Step[]): void {
  const all: ManualPort[] = []
  let ends: (ManualPort | undefined)[] = []
  const renew = () => {
    ends = ManualPort.channel()
    all.push(...(ends as ManualPort[]))
  }
  const deliver = () => {
    for (const end of all) end.deliver()
  }
  const attach = (link: Link, at: 0 | 1) => {
    const port = ends[at]
    ends[at] = undefined
    if (port) link.attach(port.port)
  }
  const act: { [name in Exclude<Step['do'], 'tell' | 'take' | 'free' | 'wait'>]: () => void } = {
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
    else act[each.do]()
    model.check()
  }
  connect()
  for (const edge of ['far', 'other', 'near', 'far', 'other'] as const) model.tell(edge)
  comeToRest(model, deliver)
  model.check()
  model.checkAtRest()
}

/** More rounds than the longest backlog needs. */
function comeToRest(model: LinkModel, deliver: () => void): void {
  for (let round = 0; round < 30; round++) {
    model.near.passAll()
    deliver()
    model.take(100)
    while (model.holding) model.free(0)
    model.far.passAll()
    deliver()
  }
}

const steps = fc.array(step, { maxLength: 150, size: 'max' })

test('two links, any interleaving: within capacity, in order, nothing lost or doubled', () => {
  fc.assert(fc.property(steps, run), { seed: 4713, numRuns: 500 })
})
