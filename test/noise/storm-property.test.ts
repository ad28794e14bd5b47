import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Dispatch, MessageDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { DigestNotice } from '../../src/domain/delivery/notice.ts'
import { CHANNEL_CODE } from '../../src/store/engine/column-codes.ts'
import type { StoreOptions } from '../../src/store/store-options.ts'
import { type Step, steps } from '../store/outbox/steps.ts'
import { CHANNELS, type OutboxSubject, wordsOf } from '../store/outbox/subject.ts'
import { draft, entriesFor, roomAt, settlement } from '../store/support.ts'
import { scattered, undone, withSubject } from './property-steps.ts'

/** A rate at which three messages are a storm. */
const SLOW = { perSecond: 0.2, burst: 1 }
const RULES = { enable: true, rate: SLOW, reading: SLOW, withinMs: 60_000 }
const ON = { storms: { chatws: { ...RULES, edits: true }, email: { ...RULES, edits: false } } }
const OFF = {
  storms: { chatws: { ...RULES, edits: true, enable: false }, email: { ...RULES, edits: false, enable: false } },
}

/** Everything unfinished has a due time or is with a sender. */
function promised(subject: OutboxSubject): void {
  assert.deepEqual(subject.rows('SELECT * FROM dispatches WHERE state = 0 AND due_at IS NULL AND kind <> 4'), [])
  const untold = subject.rows<{ channel: number; sending: number }>(
    `SELECT channel, EXISTS (SELECT 1 FROM dispatches WHERE incident = 0 AND kind = 4 AND number = bundles.id AND state = 1) AS sending
     FROM bundles JOIN destinations ON code = destination WHERE closed_at IS NULL AND told < folded`,
  )
  for (const { channel, sending } of untold) {
    const dueAt = Math.min(
      ...CHANNELS.filter((name) => CHANNEL_CODE[name] === channel).map((name) => subject.store.outbox.nextDueAt(name)),
    )
    assert(sending === 1 || dueAt < Infinity, 'untold incidents wait for nothing')
  }
  const told = subject.rows(
    'SELECT 1 FROM dispatches d JOIN bundles b ON b.id = d.bundle WHERE d.state = 5 AND (place <= told OR b.dead_reason IS NOT NULL)',
  )
  if (told.length > 0) assert.equal(subject.store.outbox.nextDueAt('any'), 0)
}

interface Bundle {
  readonly id: number
  readonly folded: number
  readonly handed: number
  readonly told: number
  readonly wound: number
  readonly dead_reason: string | null
  readonly closed_at: number | null
}

const floodOf = fc.record({
  count: fc.integer({ min: 3, max: 30 }),
  kinds: fc.integer({ min: 1, max: 5 }),
  severity: fc.constantFrom('critical', 'warning', 'warning', 'info'),
  status: fc.constantFrom('firing', 'firing', 'firing', 'resolved'),
})
const flood = floodOf.map(({ count, kinds, severity, status }): { step: Step; failsAt: null } => ({
  failsAt: null,
  step: (subject) => {
    const drafts = Array.from({ length: count }, (_, n) => draft({ fingerprint: `f${n % kinds}`, severity, status }))
    subject.turn({ entries: entriesFor(subject.store, [{ drafts }], subject.now) })
    return () => {}
  },
}))
/** The message that a revision was to edit is gone. */
const gone = fc.nat({ max: 5 }).map((nth): { step: Step; failsAt: null } => ({
  failsAt: null,
  step: (subject) => {
    const edits = [...subject.held.values()].filter((one) => one.kind === 'digest' && one.edits !== undefined)
    const one = edits[nth % Math.max(1, edits.length)]
    if (one === undefined) return () => {}
    subject.turn({ settlements: [goneOf(subject, one)] })
    return () => {
      subject.held.delete(wordsOf(one))
      subject.settled.push(one)
    }
  },
}))
const goneOf = ({ now }: OutboxSubject, one: Dispatch) =>
  settlement(one, { state: 'pending', at: now }, { outcome: 'gone' })
const toggle = fc.boolean().map((on): { step: Step; failsAt: null } => ({
  failsAt: null,
  step: (subject) => () => subject.reopen(on ? ON : OFF),
}))
const extra = fc.array(fc.oneof(flood, flood, flood, toggle, gone), { maxLength: 8 })

/** Revisions that the drains of all runs have sent: without any the property would say nothing. */
let revisions = 0
/** Messages that they were to edit and that were gone. */
let lost = 0

test('after any steps, each on a disk that may fail at any statement, every incident is told once and all numbers agree', () => {
  const property = fc.property(steps, extra, fc.infiniteStream(fc.nat()), (list, floods, at) => {
    const all = scattered(list, floods, at)
    withSubject((subject) => {
      const told = new Map<number, number>()
      for (const { step, failsAt } of all) {
        if (failsAt !== null) undone(subject, failsAt, step)
        step(subject)()
        consistent(subject, told)
      }
      drain(subject, told)
    }, ON)
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 12, includeErrorInReport: true })
  assert(revisions > 20 && lost > 3, `${revisions} revisions, ${lost} gone`)
})

test('arrivals that a reader can follow are handed out as without storm rules', () => {
  const gaps = fc.array(fc.integer({ min: 5_000, max: 20_000 }), { minLength: 1, maxLength: 40 })
  const severities = fc.infiniteStream(fc.constantFrom('critical', 'warning', 'info'))
  const property = fc.property(gaps, severities, (afterMs, severity) => {
    const words = afterMs.map(() => severity.next().value ?? 'info')
    assert.deepEqual(handedOut(ON, afterMs, words), handedOut({}, afterMs, words))
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 10, includeErrorInReport: true })
})

/** Returns what a store hands out when one incident comes after each pause, and all is sent at once. */
function handedOut(rules: Partial<StoreOptions>, afterMs: readonly number[], severities: readonly string[]): string[] {
  const order: string[] = []
  withSubject((subject) => {
    afterMs.forEach((ms, n) => {
      subject.now += ms
      const drafts = [draft({ fingerprint: `f${n % 3}`, severity: severities[n] ?? '', title: `incident ${n}` })]
      const entries = entriesFor(subject.store, [{ drafts }], subject.now)
      const { dispatches } = subject.turn({ entries, capacity: roomAt(...CHANNELS) })
      order.push(
        ...dispatches.map(({ kind, destination, title, attempt }) => `${kind} ${destination} ${title} ${attempt}`),
      )
      subject.turn({ settlements: dispatches.map((one) => settlement(one, { state: 'sent' })) })
    })
  }, rules)
  return order
}

test('a digest survives a disk that fails at any statement of its claim and of its settlement', () => {
  withSubject((subject) => {
    const drafts = Array.from({ length: 40 }, (_, n) => draft({ fingerprint: `f${n % 4}` }))
    subject.turn({ entries: entriesFor(subject.store, [{ drafts }], subject.now) })
    subject.now += 30_000
    let digest: Dispatch | undefined
    const claim: Step = (one) => {
      const { dispatches } = one.turn({ capacity: roomAt('chatws') })
      return () => {
        digest = dispatches.find(({ kind }) => kind === 'digest')
      }
    }
    assert(failsAtEach(subject, claim) > 3)
    assert(digest)
    const sent = settlement(digest, { state: 'sent' })
    const settle: Step = (one) => {
      one.turn({ settlements: [sent] })
      return () => {}
    }
    assert(failsAtEach(subject, settle) > 3)
    consistent(subject, new Map())
  }, ON)
})

/** Runs the step with a failure at each of its statements in turn, then wholly; returns the number of statements. */
function failsAtEach(subject: OutboxSubject, step: Step): number {
  let statement = 1
  while (undone(subject, statement, step)) statement++
  return statement
}

function consistent(subject: OutboxSubject, told: Map<number, number>): void {
  const { queues, finishedIncidents } = subject.memory()
  const recounted = subject.recounted()
  assert.deepEqual([queues, finishedIncidents], [recounted.queues, recounted.finishedIncidents])
  assert.deepEqual(subject.wrongStatuses(), [])
  for (const channel of CHANNELS) {
    const [urgent] = subject.rows<{ due: number | null }>(
      `SELECT min(due_at) AS due FROM dispatches JOIN destinations ON code = destination
       WHERE kind = 0 AND rank = 0 AND state = 0 AND channel = ${CHANNEL_CODE[channel]}`,
    )
    assert(subject.store.outbox.nextDueAt(channel) <= (urgent?.due ?? Infinity), 'an urgent delivery is forgotten')
  }
  promised(subject)
  // A single is in no digest unless it was sent again; a place is in exactly one.
  assert.deepEqual(
    subject.rows('SELECT * FROM dispatches WHERE state = 5 AND (bundle IS NULL OR place IS NULL OR kind <> 0)'),
    [],
  )
  for (const bundle of subject.rows<Bundle>('SELECT * FROM bundles')) checkBundle(subject, bundle, told)
  for (const { kind, number } of subject.held.values())
    if (kind === 'digest') assert.equal(subject.rows(`SELECT 1 FROM bundles WHERE id = ${number}`).length, 1)
}

function checkBundle(subject: OutboxSubject, bundle: Bundle, told: Map<number, number>): void {
  const { id, folded } = bundle
  assert(bundle.wound <= folded && bundle.told <= bundle.handed && bundle.handed <= folded, JSON.stringify(bundle))
  assert(bundle.told >= (told.get(id) ?? 0), 'what was told is untold')
  told.set(id, bundle.told)
  const [kinds] = subject.rows<{ places: number }>(
    `SELECT sum(firing + resolved) AS places FROM tallies WHERE bundle = ${id}`,
  )
  assert.equal(kinds?.places ?? 0, folded)
  // Dead places move to another digest when they are replayed.
  if (bundle.dead_reason !== null) return
  const [places] = subject.rows<{ n: number; distinct: number; last: number }>(
    `SELECT count(*) AS n, count(DISTINCT place) AS "distinct", max(place) AS last FROM dispatches WHERE bundle = ${id}`,
  )
  assert.deepEqual([places?.n, places?.distinct, places?.last], [folded, folded, folded])
  const unconcluded = subject.rows(
    `SELECT 1 FROM dispatches WHERE bundle = ${id} AND state = 5 AND place <= ${bundle.wound}`,
  )
  const early = subject.rows(
    `SELECT 1 FROM dispatches WHERE bundle = ${id} AND state = 2 AND place > ${bundle.told} AND attempts = 0`,
  )
  assert.deepEqual([unconcluded.length, early.length], [0, 0])
}

/** Sends everything; each revision says as many alerts as are on disk, and successive ones never fewer. */
function drain(subject: OutboxSubject, told: Map<number, number>): void {
  const alerts = new Map<number, number>()
  /** Revisions that have to be posted, because the message that they were to edit is gone. */
  const posts = new Map<number, number>()
  subject.turn({ sendersLost: true })
  subject.held.clear()
  for (let n = 0; n < 200; n++) {
    subject.now += 60_000
    const { dispatches } = subject.turn({ capacity: roomAt(...CHANNELS, 'oncall') })
    revisions += dispatches.filter(({ kind }) => kind === 'digest').length
    for (const one of dispatches) if (one.kind === 'digest') checkNotice(subject, one.notice as DigestNotice, alerts)
    const settlements = dispatches.map((one) => {
      const before = posts.get(one.number)
      if (one.kind !== 'digest') return settlement(one, { state: 'sent' }, { messageId: 'm' })
      if (before !== undefined) assert.deepEqual([one.edits, revisionOf(one)], [undefined, before], 'a post comes next')
      posts.delete(one.number)
      if (one.edits === undefined) return settlement(one, { state: 'sent' }, { messageId: 'm' })
      lost++
      posts.set(one.number, revisionOf(one))
      return goneOf(subject, one)
    })
    subject.turn({ settlements })
    consistent(subject, told)
  }
  const left = subject.rows('SELECT * FROM dispatches WHERE state IN (0, 1, 5) AND kind <> 1')
  assert.deepEqual(left, [])
  assert.equal(subject.store.status.counters().unfinishedDeliveries, 0)
}

const revisionOf = ({ notice }: MessageDispatch) => (notice as DigestNotice).revision

function checkNotice(subject: OutboxSubject, { digest, counts }: DigestNotice, alerts: Map<number, number>): void {
  const total = counts.reduce((sum, count) => sum + count.alerts, 0)
  const singly = counts.reduce((sum, count) => sum + count.singly + count.waiting, 0)
  const [row] = subject.rows<{ handed: number }>(`SELECT handed FROM bundles WHERE id = ${digest}`)
  assert.equal(total - singly, row?.handed)
  assert(total >= (alerts.get(digest) ?? 0), 'a later revision says fewer alerts')
  alerts.set(digest, total)
}
