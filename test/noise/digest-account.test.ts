import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHANNELS } from '../../src/channels/index.ts'
import { CHANNEL_NAMES } from '../../src/domain/delivery.ts'
import type { DigestNotice } from '../../src/domain/notice.ts'
import { digestText } from '../../src/render/text/digest-text.ts'
import { DigestAccount, revisionIn } from '../harness/noise/digest-account.ts'

function notice(changes: Partial<DigestNotice> = {}): DigestNotice {
  return {
    kind: 'digest',
    digest: 17,
    revision: 3,
    phase: 'open',
    mayRepeat: false,
    firstAt: 1_700_000_000_000,
    lastAt: 1_700_000_060_000,
    counts: [
      { word: 'critical', alerts: 5, singly: 5, waiting: 0 },
      { word: 'warning', alerts: 1_229, singly: 4, waiting: 1_010 },
      { word: 'resolved', alerts: 6, singly: 0, waiting: 6 },
    ],
    added: 12,
    problems: 31,
    firing: 30,
    shown: [
      {
        title: 'warning 9 (told singly) · n5e, digest 1·1: 4 alerts of 2 problems',
        service: 'db',
        level: 'warning',
        status: 'firing',
        incidentId: '01936a1f-0000-7000-8000-000000000001',
        alerts: 412,
        singly: 0,
        waiting: 0,
        added: 3,
        isNew: true,
      },
    ],
    others: { problems: 0, services: 0, top: [] },
    ...changes,
  }
}

test('the numbers of a revision are read back from its text in every channel, whatever the titles say', () => {
  for (const name of CHANNEL_NAMES) {
    const { text } = digestText(notice(), CHANNELS[name].text, 'https://bell.example')
    const { text: last } = digestText(notice({ phase: 'over', mayRepeat: true }), CHANNELS[name].text, '')
    const numbers = { digest: 17, revision: 3, alerts: 1_240, problems: 31, singly: 9, waiting: 1_016 }
    assert.deepEqual(revisionIn(text), { ...numbers, over: false, repeated: false }, text)
    assert.deepEqual(revisionIn(last), { ...numbers, over: true, repeated: true }, last)
  }
})

test('every incident counts once: by its own message, or by the latest revision of its digest', () => {
  const account = new DigestAccount()
  const rules = CHANNELS.chatws.text
  const digest = (revision: number, alerts: number) =>
    digestText(notice({ revision, counts: [{ word: 'warning', alerts, singly: 2, waiting: 0 }] }), rules, '').text
  for (const text of ['n1e', 'n2e', 'n2e', digest(1, 10), digest(2, 30), digest(2, 30)]) account.add(text)
  assert.deepEqual([account.singles.size, account.folded, account.told, account.faults], [2, 28, 30, []])
  account.add(digest(3, 29))
  account.add(digest(1, 40))
  assert.equal(account.faults.length, 2)
})
