import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, load } from '../setup.ts'

describe('noise.repeats', () => {
  it('makes every repeat a message, unless they are to be folded', () => {
    assert.deepEqual(load('').config.noise.repeats, { mode: 'each', remindMs: 4 * 3_600_000 })
    const { config, warnings } = load('noise: { repeats: { mode: fold, remind: 30m } }')
    assert.deepEqual(config.noise.repeats, { mode: 'fold', remindMs: 1_800_000 })
    assert.deepEqual(warnings, [])
  })

  it('refuses another mode, and a time that is none', () => {
    assert.match(issueOf('noise: { repeats: { mode: some } }'), /noise\.repeats\.mode: must be one of each, fold/)
    assert.match(issueOf('noise: { repeats: { remind: 5s } }'), /noise\.repeats\.remind: must be a time from 1m/)
  })

  it('warns of a reminder that never comes', () => {
    const { warnings } = load('noise: { repeats: { remind: 1h } }')
    assert.deepEqual(warnings, ['config.yaml:1: noise.repeats.remind: has no effect while noise.repeats.mode is each'])
  })
})

describe('noise.flapping', () => {
  it('is off unless it is switched on', () => {
    assert.deepEqual(load('').config.noise.flapping, { enable: false })
    assert.deepEqual(load('noise: { flapping: { enable: true } }').config.noise.flapping, { enable: true })
  })

  it('refuses another value', () => {
    assert.match(issueOf('noise: { flapping: { enable: often } }'), /noise\.flapping\.enable: must be true or false/)
  })
})
