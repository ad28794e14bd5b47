import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { Dispatch, MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { backlogOf, draft, entryOf, freshDir, START, settlement, turn, verdictOf, withCode } from '../support.ts'
import type { Engine, Opened } from './engine.ts'
import { CHANNELS, Model, type ModelTurn, wordsOf } from './model.ts'

const LIMITS = { maxBacklog: 24, maxIncidents: 3 }
const KEYS = ['a', 'b', 'c', 'd', 'e']

/** The real store, what its senders hold, and all that was committed to the journal. */
class Subject {
  now = START
  opened: Opened
  held: MessageDispatch[] = []
  /** By number, from 1 on. */
  readonly committed: Draft[] = []
  readonly #engine: Engine
  readonly #cleaning: (() => void)[] = []
  readonly #root: string
  #lives = 0

  constructor(engine: Engine) {
    this.#engine = engine
    this.#root = freshDir({ after: (clean) => this.#cleaning.push(clean) })
    this.opened = engine.open(this.#options())
  }

  get store() {
    return this.opened.store
  }

  restart(): void {
    this.store.close()
    this.opened = this.#engine.open(this.#options())
    this.held = []
  }

  /** Returns true when the work was done before the crash. */
  crashAt(step: number, work: () => void): boolean {
    this.#lives++
    const done = unlessRefused(() => this.opened.crashAt(step, this.#options().dataDir, work))
    this.opened = this.#engine.open(this.#options())
    this.held = []
    return done
  }

  clean(): void {
    this.store.close()
    for (const clean of this.#cleaning.toReversed()) clean()
  }

  #options(): StoreOptions {
    const dataDir = join(this.#root, String(this.#lives))
    return { ...LIMITS, dataDir, channels: CHANNELS, now: () => this.now }
  }
}

/** Returns false when the work throws `storage_down`. */
function unlessRefused(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    assert.ok(withCode('storage_down')(error), String(error))
    return false
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

function agree(model: Model, { store, held }: Subject): void {
  const { incidents, finishedIncidents, unfinishedDeliveries } = store.status.counters()
  assert.deepEqual(
    { incidents, finishedIncidents, unfinishedDeliveries },
    {
      incidents: model.incidents.size,
      finishedIncidents: model.finished().length,
      unfinishedDeliveries: model.unfinished().length,
    },
  )
  const { applied, released, backlog } = store.journal.progress()
  assert.deepEqual([applied, backlog, released <= applied], [model.applied, model.unfinished().length, true])
  assert.deepEqual(
    store.journal.findKeys(KEYS),
    KEYS.map((key) => model.keys.get(key) ?? null),
  )
  const listed = store.incidents.list({ limit: 500 }).incidents.map(({ id }) => id)
  assert.deepEqual(listed, [...model.incidents.values()].toReversed())
  const backlogs = backlogOf(store)
  for (const channel of CHANNELS) {
    const pending = model.pending(channel)
    const oldest = pending.toSorted((a, b) => a.incident - b.incident)[0]
    const sending = model.sending(channel).length
    assert.equal(held.filter(({ destination }) => destination === channel).length, sending)
    assert.deepEqual(backlogs[channel], { pending: pending.length, sending, oldestPendingAt: oldest?.committedAt })
    const dueAt = Math.min(...pending.map((delivery) => delivery.dueAt))
    assert.equal(store.outbox.nextDueAt(channel), pending.length === 0 ? Infinity : dueAt)
  }
}

const room = fc.record({ slots: fc.integer({ min: 0, max: 4 }), maxBytes: fc.integer({ min: 0, max: 900 }) })
const plenty = fc.constant({ slots: 1_000, maxBytes: Number.MAX_SAFE_INTEGER })
const settling = fc.record({
  nth: fc.nat({ max: 50 }),
  how: fc.constantFrom('sent', 'dead', 'pending', 'released'),
  afterMs: fc.integer({ min: -5, max: 50 }),
  mayDuplicate: fc.boolean(),
  twice: fc.boolean(),
})
const request = fc.record({
  sizes: fc.array(fc.integer({ min: 20, max: 300 }), { minLength: 1, maxLength: 4 }),
  key: fc.option(fc.constantFrom(...KEYS)),
})
const turnPlan = fc.record({
  settlements: fc.array(settling, { maxLength: 6 }),
  sendersLost: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  requests: fc.array(request, { maxLength: 3 }),
  /** Incidents before the new ones that are handed over once more. */
  repeated: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 5 })),
  capacity: fc.dictionary(fc.constantFrom<ChannelName>(...CHANNELS), fc.oneof(room, room, plenty)),
})
type TurnPlan = typeof turnPlan extends fc.Arbitrary<infer T> ? T : never

/** Makes the turn of a plan. Its new incidents are committed from now on. */
function planned(plan: TurnPlan, { now, held, committed }: Subject): ModelTurn {
  const taken = new Set<Dispatch>()
  const settlements = plan.settlements.flatMap(({ nth, how, afterMs, mayDuplicate, twice }) => {
    const dispatch = held[nth % Math.max(1, held.length)]
    if (dispatch === undefined || taken.has(dispatch)) return []
    taken.add(dispatch)
    const one = settlement(dispatch, verdictOf(how, now + afterMs), { mayDuplicate })
    return twice ? [one, one] : [one]
  })
  const repeated = committed.slice(committed.length - Math.min(plan.repeated, committed.length))
  const first = committed.length - repeated.length + 1
  const fresh = plan.requests.map(({ sizes, key }) => ({
    drafts: sizes.map((size) => draft({ content: Buffer.alloc(size, '1') })),
    ...(key === null ? {} : { key }),
  }))
  committed.push(...fresh.flatMap(({ drafts }) => drafts))
  const submissions = [...(repeated.length === 0 ? [] : [{ drafts: repeated }]), ...fresh]
  const capacity = new Map(Object.entries(plan.capacity) as [ChannelName, { slots: number; maxBytes: number }][])
  const entries = submissions.length === 0 ? [] : [{ first, submissions }]
  return { settlements, sendersLost: plan.sendersLost, entries, capacity }
}

const run = ({ store, now }: Subject, { entries, ...rest }: ModelTurn) =>
  turn(store, { ...rest, entries: entries.map(({ first, submissions }) => entryOf(first, submissions, now)) })

/** Runs the turn on both, and compares the results. */
function runBoth(made: ModelTurn, model: Model, subject: Subject, result = run(subject, made)): void {
  const expected = model.turn(made, subject.now)
  const dispatches = result.dispatches.filter((each): each is MessageDispatch => each.kind === 'delivery')
  assert.deepEqual(
    { settled: result.settled.map((each) => each !== undefined), dispatches: dispatches.map(wordsOf) },
    expected,
  )
  const isSettled = (dispatch: Dispatch) =>
    made.settlements.some(
      ({ incident, destination }) => incident === dispatch.incident && destination === dispatch.destination,
    )
  subject.held = [...(made.sendersLost ? [] : subject.held.filter((each) => !isSettled(each))), ...dispatches]
}

const oneTurn = turnPlan.map((plan) =>
  step(`turn ${JSON.stringify(plan)}`, (model, subject) => runBoth(planned(plan, subject), model, subject)),
)

const refusedTurn = fc.tuple(turnPlan, fc.nat({ max: 60 })).map(([plan, at]) =>
  step(`turn that the disk refuses at step ${at} ${JSON.stringify(plan)}`, (model, subject) => {
    const made = planned(plan, subject)
    let result: ReturnType<typeof run> | undefined
    const runOnce = () => {
      result = run(subject, made)
    }
    if (!unlessRefused(() => subject.opened.refusedFrom(at, runOnce))) agree(model, subject)
    runBoth(made, model, subject, result)
  }),
)

const crash = fc.tuple(turnPlan, fc.nat({ max: 60 })).map(([plan, at]) =>
  step(`crash at step ${at} of turn ${JSON.stringify(plan)}`, (model, subject) => {
    const made = planned(plan, subject)
    if (subject.crashAt(at, () => void run(subject, made))) model.turn(made, subject.now)
    model.reopen()
    agree(model, subject)
    // The journal hands over again what is not applied.
    runBoth({ ...made, settlements: [] }, model, subject)
  }),
)

const prune = fc.integer({ min: 0, max: 4 }).map((rows) =>
  step(`prune ${rows}`, (model, { store }) => {
    assert.equal(store.maintenance.prune(rows), model.prune(rows))
  }),
)

const replay = fc.constantFrom<ChannelName>(...CHANNELS).map((name) =>
  step(`replay ${name}`, (model, { store, now }) => {
    assert.equal(store.operator.replay({ state: 'dead', channel: name }), model.replay(name, now))
  }),
)

const restart = fc.constant(
  step('restart', (model, subject) => {
    subject.restart()
    model.reopen()
  }),
)

const checkpoint = fc.constant(
  step('checkpoint', (_, { store }) => {
    assert.equal(store.maintenance.checkpoint(), true)
    const { applied, released } = store.journal.progress()
    assert.equal(released, applied)
  }),
)

/** All steps together take less time than the first notice of a dead delivery waits. */
const wait = fc.integer({ min: 0, max: 15 }).map((ms) =>
  step(`wait ${ms}`, (_, subject) => {
    subject.now += ms
  }),
)

/** Sends everything; then nothing may be missing, and every delivery is where the model has it. */
function drain(model: Model, subject: Subject): void {
  subject.now += 100
  const capacity = new Map(CHANNELS.map((channel) => [channel, { slots: 10_000, maxBytes: 1e9 }] as const))
  const nothing = { settlements: [], sendersLost: false, entries: [], capacity }
  runBoth(nothing, model, subject)
  const settlements = subject.held.map((dispatch) => settlement(dispatch, { state: 'sent' }))
  runBoth({ ...nothing, settlements }, model, subject)
  agree(model, subject)
  assert.equal(subject.store.status.counters().unfinishedDeliveries, 0)
  for (const [incident, id] of model.incidents) {
    const expected = model.deliveries.filter((one) => one.incident === incident).map((one) => [one.channel, one.state])
    const detail = subject.store.incidents.detail(id)
    assert.deepEqual(
      detail?.deliveries.map((one) => [one.channel, one.state]),
      expected,
    )
  }
}

/** Turns in any order, refused and crashed at any step, agree with a model in all numbers. */
export function turnContract(engine: Engine): void {
  test(`${engine.name}: after any steps in any order, refusals and crashes the store agrees with the model`, () => {
    // A kind that is listed twice is drawn more often.
    const kinds = [oneTurn, oneTurn, oneTurn, oneTurn, refusedTurn, crash, prune, replay, restart, checkpoint, wait]
    const property = fc.property(fc.commands(kinds, { maxCommands: 60, size: 'max' }), (commands) => {
      const [model, subject] = [new Model(LIMITS), new Subject(engine)]
      try {
        fc.modelRun(() => ({ model, real: subject }), commands)
        drain(model, subject)
      } finally {
        subject.clean()
      }
    })
    fc.assert(property, { seed: 20_300_101, numRuns: engine.runs, includeErrorInReport: true })
  })
}
