import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, load } from '../setup.ts'

describe('slo', () => {
  it('is off without a time, and has an objective', () => {
    assert.equal(load('').config.slo, undefined)
    assert.deepEqual(load('slo: { notified_within: 60s }').config.slo, { toldWithinMs: 60_000, objective: 0.999 })
  })

  it('refuses a time that is none, and an objective that leaves nothing to miss', () => {
    assert.match(issueOf('slo: { notified_within: soon }'), /slo\.notified_within: must be a time from 1s/)
    assert.match(issueOf('slo: { notified_within: 60s, objective: 100 }'), /slo\.objective: /)
  })
})
