import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHANNELS } from '../../src/channels/index.ts'
import { type DigestNotice, digestHeadline } from '../../src/domain/notice.ts'
import { digestText } from '../../src/render/text/digest-text.ts'
import { headlineOf } from '../../static/preview/headline.ts'

const NOTICE: DigestNotice = {
  kind: 'digest',
  digest: 17,
  revision: 3,
  phase: 'open',
  mayRepeat: true,
  firstAt: 0,
  lastAt: 1_000,
  counts: [{ word: 'critical', alerts: 1_240, singly: 0, waiting: 0 }],
  added: 3,
  problems: 1,
  firing: 1,
  shown: [],
  others: { problems: 0, services: 0, top: [] },
}

test('the headline of a digest is read from its text in the markup of every channel', () => {
  for (const { text } of Object.values(CHANNELS))
    assert.equal(headlineOf(digestText(NOTICE, text, 'https://tocsin.example.net').text), digestHeadline(NOTICE))
})
