import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { CodedError } from '../../../src/domain/errors.ts'
import { headerOf } from '../../../src/domain/frame.ts'
import { KeysTaken } from '../../../src/journal/errors.ts'
import type { Connection } from '../../../src/journal/postgres/connection.ts'
import { frameOf } from '../../journal/support.ts'
import { bodiesIn, committedIn, connect, newTables, openOn, serverFor } from './support.ts'

/**
 * What happens to a statement:
 *
 * - works
 * - refused: the connection cannot be made, and the statement was certainly not sent
 * - lost: the connection ends before the server has the statement
 * - unanswered: the statement takes effect, and the connection ends before its answer
 * - late: the connection ends, and the statement takes effect before the next but one
 * - busy: the server cancels it
 */
const FATES = ['works', 'refused', 'lost', 'unanswered', 'late', 'busy'] as const
type Fate = (typeof FATES)[number]

const failure = (cause: object) => new CodedError('storage_down', 'the connection is lost', { cause })
const LOST = { sqlstate: '08006' }

/** A connection whose statements have these fates, one after the other, and then work. */
function faulty(connection: Connection, fates: readonly Fate[]): Connection & { settle(): void } {
  const rest = [...fates]
  let late: { readonly run: () => void; in: number }[] = []
  const runLate = (statements: number) => {
    for (const each of late) each.in -= statements
    const due = late.filter((each) => each.in <= 0)
    late = late.filter((each) => each.in > 0)
    for (const { run } of due) run()
  }
  return {
    settle: () => runLate(Infinity),
    within: (ms, work) => connection.within(ms, work),
    query(sql, values) {
      runLate(1)
      const fate = rest.shift() ?? 'works'
      switch (fate) {
        case 'works':
          return connection.query(sql, values)
        case 'refused':
          throw failure({ ...LOST, sent: false })
        case 'lost':
          throw failure(LOST)
        case 'unanswered':
          connection.query(sql, values)
          throw failure(LOST)
        case 'late':
          late.push({ run: () => swallow(() => connection.query(sql, values)), in: 2 })
          throw failure({ sqlstate: '57P01' })
        case 'busy':
          throw failure({ sqlstate: '55P03' })
        default:
          return fate satisfies never
      }
    },
  }
}

/** A statement that comes late may fail: nobody hears it. */
function swallow(work: () => void): void {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Error)
  }
}

const UNBOUNDED: Pick<Connection, 'within'> = { within: (_, work) => work() }

const newBody = () => JSON.stringify({ id: randomUUID() })

test('whatever happens to each statement, what was answered is there once, and what was refused is not', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const second = connect(t, url)
  const fate = fc.constantFrom<Fate>(...FATES, 'works', 'works')
  const step = fc.record({
    replica: fc.constantFrom(0, 1),
    frames: fc.integer({ min: 1, max: 3 }),
    key: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  })
  fc.assert(
    fc.property(
      fc.array(fate, { maxLength: 30 }),
      fc.array(fate, { maxLength: 30 }),
      fc.array(step, { minLength: 1, maxLength: 15 }),
      (fates, others, steps) => {
        connection.query('DELETE FROM journal_keys')
        const since = committedIn(connection)
        const lanes = [faulty(connection, ['works', ...fates]), faulty(second, ['works', ...others])]
        const journals = lanes.map((lane) => openOn(lane, 5_000).journal)
        const expected = new Map<number, string>()
        const refused = new Set<string>()
        const keyed = new Map<string, string>()
        for (const { replica, frames: count, key } of steps) {
          const bodies = Array.from({ length: count }, newBody)
          const frames = bodies.map((body, at) => frameOf([body], at === 0 && key !== undefined ? { 0: { key } } : {}))
          try {
            ;(journals[replica] as (typeof journals)[number]).append(frames)
            frames.forEach((frame, at) => expected.set(headerOf(frame).first, bodies[at] as string))
            if (key === undefined) continue
            assert.ok(!keyed.has(key), `${key} is used twice`)
            keyed.set(key, bodies[0] as string)
          } catch (error) {
            if (error instanceof KeysTaken) assert.ok(key !== undefined && keyed.has(key))
            else assert.ok(error instanceof CodedError, String(error))
            for (const body of bodies) refused.add(body)
          }
        }
        for (const lane of lanes) lane.settle()
        const bodies = bodiesIn(connection, since + 1, committedIn(connection))
        assert.deepEqual([...bodies].sort(byNumber), [...expected].sort(byNumber))
        for (const body of bodies.values()) assert.ok(!refused.has(body))
      },
    ),
    { numRuns: 60 },
  )
})

const byNumber = ([one]: [number, string], [other]: [number, string]) => one - other

test('an append that is tried again tells why', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  // The first statement opens the journal.
  const { journal, repeated } = openOn(faulty(connection, ['works', 'busy', 'lost']))
  journal.append([frameOf(['{}'])])
  const states = repeated.map((error) => ((error as CodedError).cause as { readonly sqlstate: string }).sqlstate)
  assert.deepEqual(states, ['55P03', LOST.sqlstate])
  assert.equal(committedIn(connection), 1)
})

test('an append whose outcome cannot be learned in time is refused, and does not take effect later', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const dead: Fate[] = Array.from({ length: 400 }, () => 'lost')
  const lane = faulty(connection, ['works', 'late', ...dead])
  const { journal } = openOn(lane, 200)
  assert.throws(() => journal.append([frameOf(['{"first":1}'])]), { code: 'storage_down' })
  const { journal: next } = openOn(connection)
  next.append([frameOf(['{}'])])
  // The late statement has run by now, with the barrier that it knew.
  assert.deepEqual([...bodiesIn(connection, 1, committedIn(connection)).values()].at(-1), '{}')
})

test('an engine that cannot be reached refuses at once', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  let queries = 0
  const lane: Connection = {
    ...UNBOUNDED,
    query(sql, values) {
      if (queries++ === 0) return connection.query(sql, values)
      throw failure({ ...LOST, sent: false })
    },
  }
  const { journal } = openOn(lane, 3_600_000)
  assert.throws(() => journal.append([frameOf(['{}'])]), { code: 'storage_down' })
  assert.equal(queries, 2)
  assert.throws(() => journal.append([frameOf(['{}'])]), { code: 'storage_down' })
  assert.equal(queries, 3)
})

test('a full disk of the engine is told as such, and nothing is stored until there is room', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  let isFull = false
  const lane: Connection = {
    ...UNBOUNDED,
    query(sql, values) {
      if (isFull) throw new CodedError('storage_full', 'no space', { cause: { sqlstate: '53100', sent: true } })
      return connection.query(sql, values)
    },
  }
  const { journal } = openOn(lane, 3_600_000)
  isFull = true
  assert.throws(() => journal.append([frameOf(['{}'])]), { code: 'storage_full' })
  assert.throws(() => journal.check(), { code: 'storage_full' })
  assert.throws(() => journal.findKeys(['k']), { code: 'storage_full' })
  isFull = false
  journal.check()
  journal.append([frameOf(['{}'])])
  assert.equal(committedIn(connection), 1)
})
