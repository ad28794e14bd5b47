import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { test } from 'node:test'
import { withDeadline } from '../../src/async/deadline.ts'

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
