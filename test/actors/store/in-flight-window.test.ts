import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInFlightWindow } from '../../../actors/store/in-flight-window.ts'
import { type Dispatch, keyOf } from '../../../src/domain/delivery/dispatch.ts'

test('the payloads of the pages of one incident leave the window with their own settlements', () => {
  const window = createInFlightWindow(1_000, () => 8)
  const pages = [undefined, 'boss'].map((target) => {
    const key = { kind: 'page', destination: 'oncall', code: 31, incident: 7, number: 3 } as const
    return { ...key, ...(target && { target }), content: new Uint8Array(400) } as unknown as Dispatch
  })
  for (const page of pages) window.add(page)
  assert.equal(window.remaining('oncall').maxBytes, 200)
  for (const page of pages) window.release({ ...keyOf(page), verdict: { state: 'sent' } })
  assert.equal(window.remaining('oncall').maxBytes, 1_000)
})
