import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { test } from 'node:test'
import { withDeadline } from '../../src/async/deadline.ts'
import { SingleFlight, SingleFlights } from '../../src/async/single-flight.ts'

/** Work whose runs end when the test says so. */
function heldWork() {
  const runs: PromiseWithResolvers<number>[] = []
  const work = () => {
    const run = Promise.withResolvers<number>()
    runs.push(run)
    return run.promise
  }
  return { runs, work }
}

test('calls during a run share it, and the next call runs anew', async () => {
  const { runs, work } = heldWork()
  const shared = new SingleFlight(work)
  const first = [shared.run(), shared.run()]
  runs[0]?.resolve(1)
  assert.deepEqual(await Promise.all(first), [1, 1])
  const second = shared.run()
  runs[1]?.resolve(2)
  assert.equal(await second, 2)
  assert.deepEqual([runs.length, shared.running], [2, undefined])
})

test('all calls of a run that rejects reject, and the next call runs anew', async () => {
  const { runs, work } = heldWork()
  const shared = new SingleFlight(work)
  const first = [shared.run(), shared.run()]
  runs[0]?.reject(new Error('down'))
  for (const call of first) await assert.rejects(call, /down/)
  const second = shared.run()
  runs[1]?.resolve(2)
  assert.equal(await second, 2)
})

test('only calls with one key share a run', async () => {
  const { runs, work } = heldWork()
  const flights = new SingleFlights<number>()
  const calls = [flights.run('a', work), flights.run('b', work), flights.run('a', work)]
  assert.deepEqual([flights.size, flights.has('a'), flights.has('c')], [2, true, false])
  runs.forEach((run, at) => void run.resolve(at))
  assert.deepEqual(await Promise.all(calls), [0, 1, 0])
  assert.equal(flights.size, 0)
})

const HOUR_MS = 3_600_000

test('work gets a signal that aborts at the deadline', async () => {
  const closing = new AbortController()
  const aborted = withDeadline(1, closing.signal, async (signal) => {
    await once(signal, 'abort')
    throw signal.reason
  })
  await assert.rejects(aborted, { name: 'TimeoutError' })
})

test('work gets a signal that aborts when its owner closes, also when that was before', async () => {
  const closing = new AbortController()
  const reason = new Error('closed')
  const work = async (signal: AbortSignal) => {
    if (!signal.aborted) await once(signal, 'abort')
    throw signal.reason
  }
  const aborted = withDeadline(HOUR_MS, closing.signal, work)
  closing.abort(reason)
  await assert.rejects(aborted, reason)
  await assert.rejects(withDeadline(HOUR_MS, closing.signal, work), reason)
})

test('nothing stays at a signal that lives on, however often it is used', async () => {
  const closing = new AbortController()
  for (let nth = 0; nth < 100; nth++) {
    assert.equal(await withDeadline(HOUR_MS, closing.signal, async () => nth), nth)
    await assert.rejects(withDeadline(HOUR_MS, closing.signal, () => Promise.reject(new Error('no'))))
  }
  assert.equal(getEventListeners(closing.signal, 'abort').length, 0)
  assert.deepEqual(
    Object.getOwnPropertySymbols(closing.signal).filter((symbol) => /Dependant/.test(String(symbol))),
    [],
  )
})
