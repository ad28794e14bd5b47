import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ntfy } from '../../../src/channels/adapters/ntfy.ts'
import { messageOf } from '../../../src/channels/message.ts'
import type { TextRules } from '../../../src/domain/delivery/message.ts'
import { type PageNotice, pageHeadline } from '../../../src/domain/delivery/notice.ts'
import { noticeText } from '../../../src/render/text/notice-text.ts'

const PLAIN: TextRules = { escaping: 'none', limit: { max: 7_000, unit: 'utf16' } }
const HOST = 'https://t.example.net'
const ACK = `${HOST}/api/ack/page/7?exp=1&sig=2`
const NOTICE: PageNotice = {
  ...{ kind: 'page', message: 7, person: 'ada', name: 'Ada Lovelace', escalation: 'office', step: 1 },
  ...{ because: 'schedule primary, layer weeks', lateMs: 0, mayRepeat: false, nobody: false, problems: 1 },
  shown: [
    {
      ...{ problem: 4, title: 'Disk full', service: 'orders-db', severity: 'critical', incidentId: '0192f0c4' },
      since: Date.UTC(2026, 10, 27, 3, 12),
    },
  ],
}
const print = (notice: Partial<PageNotice>, rules = PLAIN, addresses = { publicHost: HOST, ackUrl: ACK as string }) =>
  noticeText({ ...NOTICE, ...notice }, rules, addresses)

describe('a message to a person', () => {
  it('says the problem first, then the link, then why the person is asked', () => {
    assert.deepEqual(print({}), {
      text: [
        '📟 CRITICAL Disk full · orders-db',
        `Acknowledge, or say that you cannot: ${ACK}`,
        'critical Disk full · orders-db, since 2026-11-27 03:12 UTC',
        `office, step 1: schedule primary, layer weeks\nDashboard: ${HOST}/#/problems/4`,
      ].join('\n\n'),
    })
  })

  it('says in its first line that it is late, repeated, about others, or asks the person again', () => {
    const headline = (notice: Partial<PageNotice>) => pageHeadline({ ...NOTICE, ...notice })
    const late = headline({ lateMs: 720_000, problems: 3, mayRepeat: true })
    assert.equal(late, '📟 12 min late: CRITICAL Disk full · orders-db and 2 other problems (repeated)')
    assert.equal(headline({ step: 0, lateMs: 60_000 }), '📟 Still open, 60 s late: CRITICAL Disk full · orders-db')
    assert.equal(headline({ nobody: true }), '📟 Nobody is on call: CRITICAL Disk full · orders-db')
  })

  it('keeps the link and counts the rest when the channel has room for little', () => {
    const shown = Array.from({ length: 5 }, () => ({ ...NOTICE.shown[0], title: 'x'.repeat(400) }) as never)
    const { text } = print({ shown, problems: 55 }, { ...PLAIN, limit: { max: 700, unit: 'utf16' } })
    assert.ok(text.includes(ACK))
    assert.ok(text.length <= 700)
    assert.match(print({ shown, problems: 55 }).text, /\nand 50 more\n/)
  })

  it('escapes what a sender wrote, and makes words of the link, where a channel has markup', () => {
    const shown = [{ ...NOTICE.shown[0], title: '<b>&[x](y)' } as never]
    const html = print({ shown }, { ...PLAIN, escaping: 'html', subject: true })
    assert.match(html.text, /<b>📟 CRITICAL &lt;b&gt;&amp;/)
    assert.ok(html.text.includes(`<a href="${ACK.replace('&', '&amp;')}">Acknowledge, or say that you cannot</a>`))
    assert.equal(html.subject, '📟 CRITICAL <b>&[x](y) · orders-db')
    const chat = print({ shown }, { ...PLAIN, escaping: 'chat' }).text
    assert.ok(chat.includes(`<${ACK.replace('&', '&amp;')}|Acknowledge, or say that you cannot>`))
  })

  it('has no address where the service has none', () => {
    const { text } = noticeText(NOTICE, PLAIN, { publicHost: '' })
    assert.doesNotMatch(text, /http|Dashboard|Acknowledge/)
  })

  it('opens the page of the person when it is tapped on a phone', async () => {
    const sent: { click?: string }[] = []
    const post = async ({ json }: { json: unknown }) => {
      sent.push(json as { click?: string })
      return { status: 200, headers: {}, body: '{"id":"1"}' }
    }
    const options = { serverUrl: 'http://n', topic: 't', others: new Map(), token: '', answers: { mode: 'off' } }
    const channel = ntfy.create(options as never, { post, now: () => 0, publicHost: HOST } as never)
    const facts = { createdAt: 0, title: 't', service: '', severity: 'critical', status: 'firing' } as const
    const message = messageOf({ id: 'notice-7', ...facts }, { text: 'x' }, { ackUrl: ACK })
    await channel.send(message, new AbortController().signal)
    assert.equal(sent[0]?.click, ACK)
  })
})
