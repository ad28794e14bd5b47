import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setup } from '../actors/front/setup.ts'

test('requests of ten thousand tiny incidents are refused before they fill the memory, and taken again', () => {
  const { submit, pass, commitSent, ingest } = setup({ window: 1 })
  const body = `[${'{},'.repeat(9_999)}{}]`
  let taken = 0
  while (taken < 600 && submit(body) === 'taken') taken++
  assert.ok(taken > 10 && taken < 600, `${taken} requests of 10,000`)
  pass()
  while (ingest.inflight > 0) commitSent()
  assert.equal(submit(body), 'taken')
})
