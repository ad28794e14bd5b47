import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import type { DigestNotice } from '../../../src/domain/delivery/notice.ts'
import { draft, entriesFor, StoreRig } from '../support.ts'

const RATE = { perSecond: 1, burst: 4 }
const CHAT = { enable: true, rate: RATE, reading: RATE, withinMs: 60_000, edits: true }

function flood(rig: StoreRig, count: number): void {
  const drafts = Array.from({ length: count }, (_, n) => draft({ fingerprint: `kind ${n % 5}`, severity: 'warning' }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
}

const digests = (dispatches: readonly MessageDispatch[]) => dispatches.filter(({ kind }) => kind === 'digest')
const noticeOf = (dispatch: MessageDispatch | undefined) => dispatch?.notice as DigestNotice
const alertsOf = ({ counts }: DigestNotice) => counts.reduce((sum, { alerts }) => sum + alerts, 0)

test('a digest says which singles were sent and which are being sent, and no number but that falls', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'], maxBacklog: 100_000, storms: { chatws: CHAT } })
  flood(rig, 1_000)
  const own = ({ counts }: DigestNotice) => ({
    singly: counts.reduce((sum, { singly }) => sum + singly, 0),
    waiting: counts.reduce((sum, { waiting }) => sum + waiting, 0),
  })
  const withSender = rig.claim('chatws', 1)
  rig.now += 2_000
  const first = digests(rig.claim('chatws', 1))
  assert.deepEqual(own(noticeOf(first[0])), { singly: 0, waiting: 14 })
  assert(noticeOf(first[0]).shown.every(({ singly, waiting }) => singly === 0 && waiting > 0))
  let sent = 0
  let before = { singly: 0, alerts: 1_000 }
  for (let claimed = [...withSender, ...first], n = 0; n < 90; n++) {
    for (const one of claimed) rig.settle(one, { state: 'sent' }, { messageId: `m${one.number}` })
    while (rig.turn({}).concluded.length > 0);
    sent += claimed.length - digests(claimed).length
    if (n < 30) flood(rig, 3)
    rig.now += 1_000
    claimed = rig.claim('chatws', 2)
    for (const notice of digests(claimed).map(noticeOf)) {
      const { singly, waiting } = own(notice)
      assert.deepEqual([singly, waiting >= 0], [sent, true])
      assert(singly >= before.singly && alertsOf(notice) >= before.alerts)
      before = { singly, alerts: alertsOf(notice) }
    }
  }
  assert.deepEqual([before.singly, before.alerts], [sent, 1_090])
})
