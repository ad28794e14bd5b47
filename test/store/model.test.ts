import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChannelName } from '../../src/domain/delivery.ts'
import type { Dispatch, Settlement } from '../../src/domain/dispatch.ts'
import { CHANNELS, Model, wordsOf } from './model.ts'
import { backlogOf, commitAndApply, draft, StoreRig, settlement } from './support.ts'

const LIMITS = { maxBacklog: 24, maxIncidents: 3 }
const EVERYTHING = { slots: 1000, maxBytes: Number.MAX_SAFE_INTEGER }

/** The real store, and the dispatches that its senders hold. */
class Subject {
  readonly rig: StoreRig
  held: Dispatch[] = []
  readonly #cleaning: (() => void)[] = []
  constructor() {
    this.rig = new StoreRig({ after: (clean) => this.#cleaning.push(clean) }, { ...LIMITS, channels: CHANNELS })
  }
  clean(): void {
    for (const clean of this.#cleaning.toReversed()) clean()
  }
}

type Act = (model: Model, subject: Subject) => void

/** One step on both, after which all numbers must agree. */
const step = (name: string, act: Act): fc.Command<Model, Subject> => ({
  check: () => true,
  run(model, subject) {
    act(model, subject)
    agree(model, subject)
  },
  toString: () => name,
})

function agree(model: Model, { rig, held }: Subject): void {
  const { incidents, finishedIncidents, unfinishedDeliveries } = rig.store.status.counters()
  assert.equal(incidents, model.incidents.size)
  assert.equal(finishedIncidents, model.finished().length)
  assert.equal(unfinishedDeliveries, model.unfinished().length)
  const backlog = backlogOf(rig.store)
  for (const channel of CHANNELS) {
    const pending = model.pending(channel)
    const sending = held.filter((dispatch) => dispatch.destination === channel).length
    const oldest = pending.toSorted((a, b) => a.incident - b.incident)[0]
    assert.deepEqual(backlog[channel], { pending: pending.length, sending, oldestPendingAt: oldest?.committedAt })
    const dueAt = Math.min(...pending.map((delivery) => delivery.dueAt))
    assert.equal(rig.store.outbox.nextDueAt(channel), pending.length === 0 ? Infinity : dueAt)
  }
}

const channel = fc.constantFrom<ChannelName>(...CHANNELS)
const channels = fc.subarray<ChannelName>([...CHANNELS])

const commit = fc
  .record({
    sizes: fc.array(fc.integer({ min: 20, max: 300 }), { minLength: 1, maxLength: 4 }),
    claimed: channels,
    key: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
  })
  .map((options) =>
    step(`commit ${JSON.stringify(options)}`, (model, { rig, held }) => {
      const drafts = options.sizes.map((size) => draft({ content: Buffer.alloc(size, '1') }))
      const submission = { drafts, ...(options.key === null ? {} : { key: options.key }) }
      const expected = model.commit(submission, options.claimed, rig.now)
      const { result, dispatches } = rig.commit(submission, options.claimed)
      assert.deepEqual({ kind: result.kind, dispatches: dispatches.map(wordsOf) }, expected)
      held.push(...dispatches)
    }),
  )

const claim = fc
  .record({ channel, slots: fc.integer({ min: 0, max: 4 }), maxBytes: fc.integer({ min: 0, max: 900 }) })
  .map(({ channel, slots, maxBytes }) =>
    step(`claim ${slots} of ${channel} up to ${maxBytes}`, (model, { rig, held }) => {
      const expected = model.claim(channel, { slots, maxBytes, now: rig.now })
      const dispatches = rig.claim(channel, slots, maxBytes)
      assert.deepEqual(dispatches.map(wordsOf), expected)
      held.push(...dispatches)
    }),
  )

const settle = fc
  .record({
    nth: fc.nat({ max: 50 }),
    how: fc.constantFrom('sent', 'dead', 'pending', 'released'),
    afterMs: fc.integer({ min: -5, max: 50 }),
    mayDuplicate: fc.boolean(),
    twice: fc.boolean(),
  })
  .map(({ nth, how, afterMs, mayDuplicate, twice }) =>
    step(`settle ${nth} ${how} after ${afterMs}${twice ? ', twice' : ''}`, (model, { rig, held }) => {
      const [dispatch] = held.splice(nth % Math.max(1, held.length), 1)
      if (dispatch === undefined) return
      const one = settlement(dispatch, verdictOf(how, rig.now + afterMs), { mayDuplicate })
      for (const each of twice ? [one, one] : [one])
        assert.equal(rig.store.write(() => rig.store.outbox.settle(each)) !== undefined, model.settle(each))
    }),
  )

function verdictOf(how: string, at: number): Settlement['verdict'] {
  switch (how) {
    case 'dead':
      return { state: 'dead', reason: 'gone' }
    case 'pending':
      return { state: 'pending', at }
    case 'released':
      return { state: 'released' }
    default:
      return { state: 'sent' }
  }
}

const reclaim = channels.map((names) =>
  step(`reclaim ${names}`, (model, subject) => {
    const { rig } = subject
    assert.equal(
      rig.store.write(() => rig.store.outbox.reclaim(names)),
      model.reclaim(names),
    )
    subject.held = subject.held.filter((dispatch) => !names.some((name) => name === dispatch.destination))
  }),
)

const prune = fc.integer({ min: 0, max: 4 }).map((rows) =>
  step(`prune ${rows}`, (model, { rig }) => {
    assert.equal(
      rig.store.write(() => rig.store.maintenance.prune(rows)),
      model.prune(rows),
    )
  }),
)

const replay = channel.map((name) =>
  step(`replay ${name}`, (model, { rig }) => {
    const replayed = rig.store.write(() => rig.store.operator.replay({ state: 'dead', channel: name }))
    assert.equal(replayed, model.replay(name, rig.now))
  }),
)

const reopen = fc.constant(
  step('reopen', (model, subject) => {
    subject.rig.reopen()
    subject.held = []
    model.reclaim(CHANNELS)
  }),
)

const fail = channel.map((name) =>
  step(`fail after working on ${name}`, (_, { rig, held }) => {
    const { store } = rig
    const work = () => {
      commitAndApply(store, { drafts: [draft(), draft()], key: 'forgotten' }, (each) => each === name)
      store.outbox.claim(new Map([[name, EVERYTHING]]))
      for (const dispatch of held) store.outbox.settle(settlement(dispatch, { state: 'sent' }))
      store.maintenance.prune(10)
      throw new RangeError('on purpose')
    }
    assert.throws(() => store.write(work), RangeError)
  }),
)

/** All steps together take less time than the first notice of a dead delivery waits. */
const wait = fc.integer({ min: 0, max: 15 }).map((ms) =>
  step(`wait ${ms}`, (_, { rig }) => {
    rig.now += ms
  }),
)

/** Sends everything; then nothing may be missing, and every delivery is where the model has it. */
function drain(model: Model, { rig, held }: Subject): void {
  rig.now += 1000
  for (const dispatch of held.splice(0))
    model.settle(settlement(dispatch, { state: 'sent' })) && rig.settle(dispatch, { state: 'sent' })
  for (const channel of CHANNELS) {
    const expected = model.claim(channel, { ...EVERYTHING, now: rig.now })
    const dispatches = rig.claim(channel)
    const deliveries = dispatches.filter(({ kind }) => kind === 'delivery')
    assert.deepEqual(deliveries.map(wordsOf), expected)
    for (const dispatch of deliveries)
      model.settle(settlement(dispatch, { state: 'sent' })) && rig.settle(dispatch, { state: 'sent' })
  }
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
  for (const [incident, id] of model.incidents) {
    const expected = model.deliveries.filter((one) => one.incident === incident).map((one) => [one.channel, one.state])
    assert.deepEqual(
      rig.detail(id).deliveries.map((one) => [one.channel, one.state]),
      expected,
    )
  }
}

test('after any steps in any order the store agrees with the model', () => {
  // A kind that is listed twice is drawn more often.
  const kinds = [
    commit,
    commit,
    claim,
    claim,
    settle,
    settle,
    settle,
    settle,
    reclaim,
    prune,
    replay,
    reopen,
    fail,
    wait,
  ]
  const property = fc.property(fc.commands(kinds, { maxCommands: 60, size: 'max' }), (commands) => {
    const [model, subject] = [new Model(LIMITS), new Subject()]
    try {
      fc.modelRun(() => ({ model, real: subject }), commands)
      drain(model, subject)
    } finally {
      subject.clean()
    }
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 60, includeErrorInReport: true })
})
