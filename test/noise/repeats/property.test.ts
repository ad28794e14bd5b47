import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { type Step, steps } from '../../store/outbox/steps.ts'
import { CHANNELS, type OutboxSubject, wordsOf } from '../../store/outbox/subject.ts'
import { draft, entriesFor, roomAt, settlement } from '../../store/support.ts'
import { scattered, undone, withSubject } from '../property-steps.ts'

const SLOW = { perSecond: 0.2, burst: 1 }
const RULES = { enable: true, rate: SLOW, reading: SLOW, withinMs: 60_000 }
const storms = { chatws: { ...RULES, edits: true }, email: { ...RULES, edits: false } }
const MODES = {
  fold: { storms, repeats: { mode: 'fold', remindMs: 600_000 } },
  each: { storms, repeats: { mode: 'each', remindMs: 600_000 } },
  flapping: { storms, repeats: { mode: 'fold', remindMs: 600_000 }, flapping: { enable: true } },
} as const satisfies { readonly [mode: string]: Partial<StoreOptions> }

const always = (step: Step) => ({ failsAt: null, step })
const repeats = fc
  .record({ count: fc.integer({ min: 1, max: 6 }), fingerprint: fc.constantFrom('f', 'g'), afterMs: fc.nat(90_000) })
  .map(({ count, fingerprint, afterMs }) =>
    always((subject) => {
      const drafts = Array.from({ length: count }, () => draft({ fingerprint, sender: 'error_tracker' }))
      subject.turn({ entries: entriesFor(subject.store, [{ drafts }], subject.now) })
      return () => {
        subject.now += afterMs
      }
    }),
  )
const end = fc.constantFrom('f', 'g').map((fingerprint) =>
  always((subject) => {
    const drafts = [draft({ fingerprint, sender: 'error_tracker', status: 'resolved' })]
    subject.turn({ entries: entriesFor(subject.store, [{ drafts }], subject.now) })
    return () => {}
  }),
)
const flips = fc
  .record({
    changes: fc.integer({ min: 5, max: 10 }),
    fingerprint: fc.constantFrom('f', 'g'),
    afterMs: fc.nat(400_000),
  })
  .map(({ changes, fingerprint, afterMs }) =>
    always((subject) => {
      const drafts = Array.from({ length: changes }, (_, n) =>
        draft({ fingerprint, sender: 'error_tracker', status: n % 2 === 0 ? 'resolved' : 'firing' }),
      )
      subject.turn({ entries: entriesFor(subject.store, [{ drafts }], subject.now) })
      return () => {
        subject.now += afterMs
      }
    }),
  )
const longWait = fc.integer({ min: 0, max: 1_200_000 }).map((ms) =>
  always((subject) => () => {
    subject.now += ms
  }),
)
const sendAll = fc.constant(
  always((subject) => {
    const { dispatches } = subject.turn({ capacity: roomAt(...CHANNELS) })
    revisions += dispatches.filter(isRevision).length
    subject.turn({ settlements: dispatches.map((one) => settlement(one, { state: 'sent' }, { messageId: 'm' })) })
    return () => {}
  }),
)
const gone = fc.constant(
  always((subject) => {
    const one = [...subject.held.values()].find((each) => isRevision(each) && each.edits !== undefined)
    if (one === undefined) return () => {}
    subject.turn({ settlements: [settlement(one, { state: 'pending', at: subject.now }, { outcome: 'gone' })] })
    return () => {
      subject.held.delete(wordsOf(one))
      subject.settled.push(one)
    }
  }),
)
const toggle = fc
  .constantFrom('fold' as const, 'each' as const, 'flapping' as const)
  .map((mode) => always((subject) => () => subject.reopen({ flapping: { enable: false }, ...MODES[mode] })))
const extraOf = (...more: readonly (typeof repeats)[]) =>
  fc.array(fc.oneof(repeats, repeats, repeats, end, longWait, sendAll, sendAll, gone, toggle, ...more), {
    minLength: 4,
    maxLength: 25,
  })

const isRevision = (one: { readonly kind: string; readonly repeats?: unknown }): one is MessageDispatch =>
  one.kind === 'digest' && one.repeats !== undefined

/** Revisions that were handed out, and repeats that the end of their problem told of. */
let [revisions, answered] = [0, 0]
/** Revisions about problems that flap, and those that say that this is over. */
let [flapping, over] = [0, 0]

test('after any steps, each on a disk that may fail at any statement, what is told of repeats is true', () => {
  check(extraOf(), MODES.fold)
  assert(revisions > 20 && answered > 5, `${revisions} revisions, ${answered} answers`)
})

test('after any steps, what is told of problems that flap is true, and their end is told', () => {
  check(extraOf(flips, flips), MODES.flapping)
  assert(flapping > 2 && over > 0, `${flapping} revisions, ${over} of the end`)
})

function check(extra: ReturnType<typeof extraOf>, mode: Partial<StoreOptions>): void {
  const property = fc.property(steps, extra, fc.infiniteStream(fc.nat()), (list, more, at) => {
    const all = scattered(list, more, at)
    withSubject((subject) => {
      for (const { step, failsAt } of all) {
        if (failsAt !== null) undone(subject, failsAt, step)
        step(subject)()
        consistent(subject)
      }
      drain(subject)
    }, mode)
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 25, endOnFailure: true, includeErrorInReport: true })
}

test('without places of repeats both modes hand out the same', () => {
  const property = fc.property(
    fc.array(fc.record({ fingerprint: fc.nat(3), afterMs: fc.nat(20_000) }), { maxLength: 40 }),
    (alerts) => {
      const unique = alerts.filter(
        ({ fingerprint }, at) => alerts.findIndex((one) => one.fingerprint === fingerprint) === at,
      )
      assert.deepEqual(handedOut(MODES.fold, unique), handedOut({ storms }, unique))
      assert.deepEqual(handedOut(MODES.each, alerts), handedOut({ storms }, alerts))
    },
  )
  fc.assert(property, { seed: 20_300_101, numRuns: 10, endOnFailure: true, includeErrorInReport: true })
})

function handedOut(
  rules: Partial<StoreOptions>,
  alerts: readonly { readonly fingerprint: number; readonly afterMs: number }[],
): unknown[] {
  const order: unknown[] = []
  withSubject((subject) => {
    for (const { fingerprint, afterMs } of alerts) {
      subject.now += afterMs
      const drafts = [
        draft({ id: `${order.length}`, fingerprint: `f${fingerprint}`, title: 'one', content: Buffer.of() }),
      ]
      const { dispatches } = subject.turn({
        entries: entriesFor(subject.store, [{ drafts }], subject.now),
        capacity: roomAt(...CHANNELS, 'oncall'),
      })
      order.push(...dispatches)
      subject.turn({ settlements: dispatches.map((one) => settlement(one, { state: 'sent' }, { messageId: 'm' })) })
    }
  }, rules)
  return order
}

interface Counted {
  readonly status: string
  readonly n: number
}

interface Bundle {
  readonly id: number
  readonly destination: number
  readonly folded: number
  readonly handed: number
  readonly told: number
  readonly wound: number
  readonly answer: number | null
  readonly closed_at: number | null
  readonly dead_reason: string | null
}

function consistent(subject: OutboxSubject): void {
  const { queues, finishedIncidents } = subject.memory()
  const recounted = subject.recounted()
  assert.deepEqual([queues, finishedIncidents], [recounted.queues, recounted.finishedIncidents])
  assert.deepEqual(subject.wrongStatuses(), [])
  const bundles = subject.rows<Bundle>('SELECT * FROM bundles WHERE subject IS NOT NULL')
  for (const bundle of bundles) checkBundle(subject, bundle)
  const [unfinished] = subject.rows<{ n: number }>(
    `SELECT (SELECT count(*) FROM dispatches WHERE kind = 0 AND state IN (0, 1))
       + (SELECT coalesce(sum(folded - told), 0) FROM bundles WHERE closed_at IS NULL) AS n`,
  )
  assert.equal(subject.store.status.counters().unfinishedDeliveries, unfinished?.n)
  const two = subject.rows(
    'SELECT 1 FROM bundles WHERE subject IS NOT NULL AND state = 0 GROUP BY destination, subject HAVING count(*) > 1',
  )
  assert.deepEqual(two, [], 'two bundles take places of one problem')
}

function checkBundle(subject: OutboxSubject, bundle: Bundle): void {
  const { id, folded, told, handed, wound, closed_at, dead_reason } = bundle
  const where = `bundle = ${id} AND kind = 0`
  assert(wound <= folded && told <= handed && handed <= folded, JSON.stringify(bundle))
  const [untold] = subject.rows<{ n: number }>(
    `SELECT count(*) AS n FROM dispatches WHERE ${where} AND state = 5 AND place > ${told}`,
  )
  if (closed_at === null) {
    assert.equal(untold?.n, folded - told)
    if (told < folded) {
      const channel = CHANNELS.find((_, at) => [0, 5][at] === bundle.destination) ?? 'chatws'
      const sending = subject.rows(
        `SELECT 1 FROM dispatches WHERE kind = 4 AND state = 1 AND destination = ${bundle.destination}`,
      )
      const waits = sending.length > 0 || subject.store.outbox.nextDueAt(channel) < Infinity
      assert(waits, 'untold repeats wait for nothing')
    }
  } else if (dead_reason === null) assert.equal(untold?.n, 0, 'a closed bundle has untold places')
  // Each telling is that of a revision that the provider took, or of the message of the end.
  const early = subject.rows(
    `SELECT * FROM dispatches WHERE ${where} AND state = 2 AND place > ${told} AND attempts = 0`,
  )
  assert.deepEqual(early, [], 'told too early')
  const tellings = subject.rows<{ message_id: string | null; through: number }>(
    `SELECT * FROM revisions WHERE bundle = ${id}`,
  )
  const [sent] = subject.rows<{ n: number }>(
    `SELECT count(*) AS n FROM attempts WHERE incident = ${-(2 ** 41) - id} AND outcome = 'sent'`,
  )
  const byEnd = subject.rows(
    `SELECT 1 FROM dispatches WHERE incident = ${bundle.answer ?? 0} AND kind = 0 AND destination = ${bundle.destination} AND message_id IS NOT NULL OR
       (incident = ${bundle.answer ?? 0} AND kind = 0 AND destination = ${bundle.destination} AND state = 2)`,
  )
  assert(tellings.length <= (sent?.n ?? 0) + byEnd.length, `${tellings.length} tellings, ${sent?.n} attempts`)
  if (byEnd.length > 0 && tellings.length > (sent?.n ?? 0)) answered++
}

/** Lets everything be sent: then nothing is left untold. */
function drain(subject: OutboxSubject): void {
  subject.turn({ sendersLost: true })
  subject.held.clear()
  for (let n = 0; n < 120; n++) {
    subject.now += 60_000
    const { dispatches } = subject.turn({ capacity: roomAt(...CHANNELS, 'oncall') })
    revisions += dispatches.filter(isRevision).length
    for (const one of dispatches) if (isRevision(one)) checkNumber(subject, one)
    subject.turn({ settlements: dispatches.map((one) => settlement(one, { state: 'sent' }, { messageId: 'm' })) })
    if (n % 10 === 0) consistent(subject)
  }
  assert.deepEqual(subject.rows('SELECT * FROM dispatches WHERE state IN (0, 1, 5) AND kind NOT IN (1, 4)'), [])
  assert.equal(subject.store.status.counters().unfinishedDeliveries, 0)
  assert.deepEqual(subject.rows('SELECT * FROM problems WHERE flap_over_at IS NOT NULL'), [])
  const lasting = 'kind = 2 AND closed_at IS NULL'
  assert.deepEqual(subject.rows(`SELECT * FROM bundles WHERE ${lasting}`), [], 'the end is not told')
  assert.deepEqual(subject.rows(PAGES_AFTER_THE_END), [], 'the end is not told to the pager')
}

/** Open pages of problems that a sender or a person resolved. */
const PAGES_AFTER_THE_END = `SELECT o.* FROM pages o JOIN problems p ON p.id = o.problem
  WHERE p.state = 1 AND p.ended_by <> 'quiet' AND p.flap_score > 0`

/** It says at least as many incidents as it tells of, and no more than there are. */
function checkNumber(subject: OutboxSubject, { number, repeats: said }: MessageDispatch): void {
  if (said?.flapping !== undefined) {
    flapping++
    if (said.over) over++
    const counted = subject.rows<Counted>(
      `SELECT i.status, count(*) AS n FROM dispatches d JOIN incidents i ON i.seq = d.incident WHERE d.bundle = ${number} GROUP BY 1`,
    )
    const of = (status: string) => counted.find((row) => row.status === status)?.n ?? 0
    // A storm takes places that are not told.
    assert(said.flapping.firing >= of('firing') && said.flapping.resolved >= of('resolved'))
    return
  }
  const [row] = subject.rows<{ least: number; most: number }>(
    `SELECT folded AS least, (SELECT count(*) FROM incidents WHERE fingerprint = subject AND status = 'firing') AS most
     FROM bundles WHERE id = ${number}`,
  )
  assert(row && said && said.count > 1 && said.count <= row.most, `${said?.count} of ${row?.most}`)
}
