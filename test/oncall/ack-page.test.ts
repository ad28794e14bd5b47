import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ACK_HEADERS,
  answerPage,
  confirmPage,
  donePage,
  failurePage,
  refusalPage,
  reusedPage,
} from '../../src/oncall/ack-page.ts'
import { personOf } from '../../src/oncall/person.ts'

type AckSubject = Parameters<typeof confirmPage>[0]

const OPEN: AckSubject = {
  title: 'Checkout is slow',
  service: 'checkout',
  severity: 'critical',
  status: 'firing',
  created_at: '2026-11-01T12:00:00.123Z',
  acked_at: null,
  acked_by: null,
}
const TAKEN: AckSubject = { ...OPEN, acked_at: '2026-11-01T12:03:04.000Z', acked_by: 'Ada' }

test('the page asks for a confirmation with a form that posts to itself', () => {
  const { status, body } = confirmPage(OPEN)
  assert.equal(status, 200)
  assert.match(body, /<form method="post">/)
  assert.match(body, /Checkout is slow/)
  assert.match(body, /2026-11-01 12:00:00 UTC/)
})

test('an acknowledged incident is shown with name and time, without a form', () => {
  for (const { body, status } of [confirmPage(TAKEN), reusedPage(TAKEN)]) {
    assert.match(body, /Already acknowledged by Ada/)
    assert.match(body, /2026-11-01 12:03:04 UTC/)
    assert.ok(!body.includes('<form') && [200, 409].includes(status))
  }
})

test('every refusal has its own page and an error status', () => {
  const refusals = (['forged', 'expired', 'unknown', 'unsupported', 'closed'] as const).map(refusalPage)
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [403, 410, 404, 415, 404],
  )
  assert.equal(new Set(refusals.map(({ body }) => body)).size, 5)
  assert.equal(failurePage().status, 503)
})

test('no text of an incident or a person becomes markup, and no page has a script', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='x",
      '</style><b>',
      '&lt;',
    ),
  )
  const tagsOf = ({ body }: { body: string }) => body.match(/<[^>]*>/g) ?? []
  const buttons = [{ label: 'Resolve', token: '1r.x' }]
  const ours = new Set([confirmPage(OPEN), donePage(TAKEN), answerPage(TAKEN, { buttons })].flatMap(tagsOf))
  const property = fc.property(hostile, hostile, hostile, (title, service, by) => {
    for (const page of [
      confirmPage({ ...OPEN, title, service }),
      donePage({ ...TAKEN, title, acked_by: by }),
      answerPage({ ...TAKEN, service, acked_by: by }, { title, buttons: [{ label: title, token: '1r.x' }] }),
    ])
      for (const tag of tagsOf(page)) assert.ok(ours.has(tag), tag)
  })
  fc.assert(property, { seed: 11, numRuns: 300 })
})

test('the policy allows the one style of the page and nothing else', () => {
  const style = /<style>(.*?)<\/style>/s.exec(confirmPage(OPEN).body)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = ACK_HEADERS['Content-Security-Policy']
  assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}'`), policy)
  assert.doesNotMatch(policy, /unsafe|script-src|\*/)
  assert.doesNotMatch(confirmPage(OPEN).body, / style=| on\w+=|src=|href=/)
})

test('a name becomes one short line without control characters', () => {
  assert.equal(personOf('  Ada\r\n\tLovelace\0 '), 'Ada Lovelace')
  assert.equal(personOf('\u202eadA\u2066'), 'adA')
  assert.equal(personOf(' \u0007 '), undefined)
  const long = personOf('👩‍🚒'.repeat(60)) ?? ''
  assert.ok(long.length <= 80 && long.isWellFormed() && long.endsWith('👩‍🚒'))
})
