import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issueOf, load } from '../setup.ts'

describe('noise.brief', () => {
  test('is off by default: the store learns nothing of it', () => {
    assert.equal(load('').config.noise.briefReplies, undefined)
    assert.equal(load('noise: { brief: { min_level: info } }').config.noise.briefReplies, undefined)
  })

  test('has a level and a time', () => {
    const of = (text: string) => load(`noise: { brief: { ${text} } }`).config.noise.briefReplies
    assert.deepEqual(of('mode: thread'), { afterMs: 5_000, minLevel: 1 })
    assert.deepEqual(of('mode: thread, min_level: warning, after: 1m'), { afterMs: 60_000, minLevel: 2 })
  })

  test('warns where no history is kept to reply with', () => {
    assert.match(
      load('noise: { brief: { mode: thread } }').warnings.join(),
      /noise\.brief\.mode: has no effect while brief/,
    )
  })

  test('refuses other words, and a time that is near the end of a reply', () => {
    assert.match(issueOf('noise: { brief: { mode: chat } }'), /noise\.brief\.mode: must be one of off, thread/)
    assert.match(issueOf('noise: { brief: { min_level: loud } }'), /noise\.brief\.min_level: must be one of critical/)
    assert.match(issueOf('noise: { brief: { after: 6m } }'), /noise\.brief\.after: must be at most 5m/)
  })
})
