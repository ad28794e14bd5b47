import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Link } from '../../src/kernel/link.ts'
import { ManualPort, uncaughtErrors } from './support/by-hand.ts'
import { type Flow, flow } from './support/flow.ts'
import { LinkModel, type Step, step } from './support/model.ts'

test('messages of one turn leave as one frame, and their credits return as one', () => {
  const f = flow({ windows: { jobs: 4, notes: 2 } })
  f.connect()
  for (const n of [1, 2, 3]) f.outlet('jobs').tell({ n })
  f.outlet('notes').tell({ n: 9 })
  f.near.passAll()
  assert.deepEqual(f.sender.counts.framesPosted, 1)
  assert.equal(f.sender.counts.tellsPosted, 4)
  f.deliverAll()
  assert.deepEqual(f.takeAll('jobs'), [1, 2, 3])
  assert.deepEqual(f.takeAll('notes'), [9])
  f.freeAll()
  f.far.passAll()
  assert.equal(f.receiver.counts.framesPosted, 1)
  f.deliverAll()
  assert.equal(f.outlet('jobs').room, 4)
  assert.equal(f.outlet('notes').outstanding, 0)
})

test('frames that arrive after the port was detached are counted and not read', () => {
  const f = flow({ windows: { jobs: 1 } })
  f.connect()
  f.outlet('jobs').tell({ n: 1 })
  f.near.passAll()
  f.receiver.detach()
  f.deliverAll()
  assert.deepEqual(f.takeAll('jobs'), [])
  assert.equal(f.receiver.counts.lateFrames, 1)
})

test('messages parked behind an earlier incarnation are dropped when the peer dies again', () => {
  const f = flow({ windows: { jobs: 1 } })
  for (const n of [1, 2, 3]) {
    f.connect()
    f.outlet('jobs').tell({ n })
    f.exchange()
  }
  const taken = f.takeAll('jobs')
  f.freeAll()
  assert.deepEqual([...taken, ...f.takeAll('jobs')], [1, 3])
})

test('a message that cannot be posted is lost alone: the others arrive in order and its credit returns', () => {
  const lost: string[] = []
  const f = flow({ windows: { jobs: 4, notes: 1 }, onLost: (to, error) => lost.push(`${to}: ${error}`) })
  f.connect()
  f.outlet('jobs').tell({ n: 1 })
  f.outlet('jobs').tell({ n: 2, run: () => {} })
  f.outlet('jobs').tell({ n: 3 })
  f.outlet('notes').tell({ n: 4 })
  f.exchange()
  assert.deepEqual(f.takeAll('jobs'), [1, 3])
  assert.deepEqual(f.takeAll('notes'), [4])
  assert.equal(lost.length, 1)
  assert.match(lost[0] ?? '', /^jobs: DataCloneError/)
  assert.equal(f.sender.counts.unsendable, 1)
  assert.equal(f.sender.counts.tellsPosted, 3)
  f.freeAll()
  f.exchange()
  assert.equal(f.outlet('jobs').outstanding, 0)
})

test('credits are not lost with a message that cannot be posted', () => {
  const f = flow({ windows: { jobs: 1 } })
  const back = f.receiver.outlet<{ run(): void }>('back', 1)
  f.connect()
  f.outlet('jobs').tell({ n: 1 })
  f.exchange()
  f.takeAll('jobs')
  f.freeAll()
  back.tell({ run() {} })
  f.exchange()
  assert.equal(f.outlet('jobs').room, 1)
  assert.equal(back.room, 1)
})

test('the credit of a message that cannot be posted resumes waiters for room', () => {
  const f = flow({ windows: { jobs: 1 } })
  f.connect()
  let room = 0
  f.outlet('jobs').tell({ n: 1, run() {} })
  f.outlet('jobs').whenRoom(() => room++)
  f.near.passAll()
  assert.equal(room, 1)
})

test('a buffer named twice is moved once', () => {
  const f = flow({ windows: { jobs: 2 } })
  f.connect()
  const bytes = new ArrayBuffer(8)
  f.outlet('jobs').tell({ n: 1, bytes }, [bytes, bytes])
  f.outlet('jobs').tell({ n: 2, bytes }, [bytes])
  f.exchange()
  assert.equal(bytes.byteLength, 0)
  assert.deepEqual(f.takeAll('jobs'), [1, 2])
  assert.equal(f.sender.counts.framesPosted, 1)
})

test('a buffer that cannot be moved is copied, with all others of its frame', () => {
  const f = flow({ windows: { jobs: 2 } })
  f.connectReal()
  const pooled = Buffer.from('lives in a pool')
  const own = new ArrayBuffer(8)
  f.outlet('jobs').tell({ n: 1, pooled }, [pooled.buffer as ArrayBuffer])
  f.outlet('jobs').tell({ n: 2, own }, [own])
  f.near.passAll()
  f.closeReal()
  assert.equal(f.sender.counts.unsendable, 0)
  assert.equal(f.sender.counts.tellsPosted, 2)
  assert.equal(own.byteLength, 8)
})

test('a message whose buffer is detached is lost alone', () => {
  const f = flow({ windows: { jobs: 2 } })
  f.connect()
  const gone = new ArrayBuffer(8)
  structuredClone(gone, { transfer: [gone] })
  f.outlet('jobs').tell({ n: 1, gone }, [gone])
  f.outlet('jobs').tell({ n: 2 })
  f.exchange()
  assert.deepEqual(f.takeAll('jobs'), [2])
  assert.equal(f.sender.counts.unsendable, 1)
  assert.equal(f.outlet('jobs').outstanding, 1)
})

test('a message for an unknown actor is counted and reported, and the rest of its frame is read', () => {
  const lost: string[] = []
  const f = flow({ windows: { jobs: 1 }, onLost: (to, error) => lost.push(`${to} ${error}`) })
  f.connect()
  f.sender.outlet('nobody', 1).tell({ n: 1 })
  f.outlet('jobs').tell({ n: 2 })
  f.exchange()
  assert.deepEqual(lost, ['nobody undefined'])
  assert.equal(f.receiver.counts.misdirected, 1)
  assert.deepEqual(f.takeAll('jobs'), [2])
})

test('windows that exceed the mailbox together are detected', () => {
  const f = flow({ windows: { jobs: 3 }, capacity: 2 })
  f.connect()
  for (const n of [1, 2, 3]) f.outlet('jobs').tell({ n })
  f.exchange()
  assert.deepEqual(f.takeAll('jobs'), [1, 2])
  assert.equal(f.receiver.counts.misdirected, 1)
})

test('an edge asked for again is the same edge; another window or mailbox for it is refused', () => {
  const f = flow({ windows: { jobs: 2 } })
  f.connect()
  f.outlet('jobs').tell({ n: 1 })
  const again = f.sender.outlet<Flow>('jobs', 2)
  assert.equal(again.outstanding, 1)
  assert.throws(() => f.sender.outlet('jobs', 3), RangeError)
  assert.throws(() => f.receiver.inlet('jobs', f.newMailbox(1)), /has its mailbox/)
})

test('watchers are called with a new peer before waiters for room are resumed', () => {
  const f = flow({ windows: { jobs: 1 } })
  const heard: string[] = []
  f.sender.watch((up) => heard.push(`${up} with room for ${f.outlet('jobs').room}`))
  f.outlet('jobs').whenRoom(() => heard.push('room'))
  f.connect()
  assert.deepEqual(heard, ['true with room for 1', 'room'])
  f.connect()
  assert.deepEqual(heard.slice(2), ['false with room for 0', 'true with room for 1'])
})

test('a watcher that throws stops no other watcher, and the link is attached', (t) => {
  const thrown = uncaughtErrors(t)
  const f = flow({ windows: { jobs: 1 } })
  const heard: boolean[] = []
  f.sender.watch(() => {
    throw new Error('a watcher')
  })
  f.sender.watch((up) => heard.push(up))
  f.connect()
  assert.deepEqual(heard, [true])
  assert.deepEqual(thrown.map(String), ['Error: a watcher'])
  assert.equal(f.outlet('jobs').tell({ n: 1 }), true)
})

test('a whenRoom callback that throws does not lose the rest of the frame', (t) => {
  const thrown = uncaughtErrors(t)
  const f = flow({ windows: { jobs: 1, notes: 1 } })
  f.connect()
  f.outlet('jobs').tell({ n: 1 })
  f.outlet('notes').tell({ n: 2 })
  f.outlet('jobs').whenRoom(() => {
    throw new Error('resume')
  })
  f.exchange()
  f.takeAll('jobs')
  f.takeAll('notes')
  f.freeAll()
  f.exchange()
  assert.equal(thrown.length, 1)
  assert.equal(f.outlet('notes').room, 1)
})

test('a replaced port that closes does not detach the new one', () => {
  const f = flow({ windows: { jobs: 1 } })
  const [old, oldFar] = ManualPort.channel()
  f.sender.attach(old.port)
  f.connect()
  oldFar.close()
  old.deliver()
  assert.equal(f.sender.up, true)
})

test('a link goes down when its port closes', () => {
  const f = flow({ windows: { jobs: 1 } })
  f.connect()
  f.receiver.detach()
  f.deliverAll()
  assert.equal(f.sender.up, false)
})

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
  fc.assert(fc.property(steps, run), { seed: 4713, numRuns: 150 })
})
