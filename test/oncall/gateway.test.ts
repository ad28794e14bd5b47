import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { gatewayReportRoute } from '../../actors/main/api/gateway-reports.ts'
import type { GatewayPage } from '../../src/domain/delivery/dispatch.ts'
import type { PageNotice, PageProblem } from '../../src/domain/delivery/notice.ts'
import { ERRORS, type ErrorCode } from '../../src/domain/errors.ts'
import type { GatewayReport } from '../../src/domain/oncall.ts'
import { openGateways } from '../../src/oncall/gateway.ts'
import { signatureOf } from '../../src/oncall/signature.ts'
import { reportAll } from '../harness/gateway-program.ts'
import { startStandIn } from '../harness/providers.ts'
import { forever, NOW, pageOf, post } from './setup.ts'

const SECRET = 'secret-of-the-gateway'
const NUMBER = '+4915112345678'
const ID = '0123456789abcdef0123456789abcdef'
const NOTICE: PageNotice = {
  ...{
    kind: 'page',
    message: 7,
    person: 'ada',
    name: 'Ada Lovelace',
    escalation: 'office',
    step: 1,
    because: 'primary',
  },
  ...{ lateMs: 120_000, mayRepeat: false, nobody: false, problems: 3 },
  shown: [{ problem: 4, title: 'Disk full', service: 'db', severity: 'critical', since: NOW, incidentId: 'an-id' }],
}

function gatewayPage(notice: GatewayPage['notice'] = NOTICE, mayDuplicate = false): GatewayPage {
  const { signal: _, dueAt: __, content: ___, ...words } = pageOf()
  return { ...words, kind: 'notice', number: 7, notice, mayDuplicate, gateway: { name: 'phone', to: NUMBER, id: ID } }
}

/** A gateway, and the service that it reports to; both have the same secret. */
async function setup(t: TestContext) {
  const program = await startStandIn(t, 'gateway')
  const reports: GatewayReport[] = []
  const route = gatewayReportRoute({
    askStorage: (async ({ report }: { report: GatewayReport }) => {
      if (report.id !== ID) return false
      reports.push(report)
      return true
    }) as never,
    settings: () => ({ oncallGateways: new Map([['phone', { url: '', secret: SECRET, paceMs: 0 }]]) }),
    now: () => NOW,
  })
  const server = createServer(async (req, res) => {
    const body = await buffer(req)
    const headers = { 'x-tocsin-signature': String(req.headers['x-tocsin-signature'] ?? '') }
    const params = { name: req.url?.split('/').at(-1) ?? '' }
    const asked = { params, query: '', headers, body, address: '', network: '' }
    const answer = await route.answer(asked).catch(({ code }: { code: ErrorCode }) => ERRORS[code])
    res.writeHead(answer.status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const publicHost = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gateways = openGateways({
    ...{
      gateways: new Map([['phone', { url: `${program.url}/page?token=part-of-the-address`, secret: SECRET }]]),
      post,
    },
    ...{ link: () => `${publicHost}/api/ack/page/7?exp=1&sig=2`, publicHost, now: () => NOW },
  })
  const send = (page = gatewayPage()) => gateways.send(page, forever)
  async function report(body: string, { name = 'phone', secret = SECRET, now = NOW } = {}) {
    const headers = { 'x-tocsin-signature': signatureOf(body, { secret, now }) }
    return (await fetch(`${publicHost}/api/oncall/gateway/${name}`, { method: 'POST', headers, body })).status
  }
  return { program, reports, send, report, publicHost }
}

test('a gateway gets the page with its signature, the same id for each retry, and whether it may be a repetition', async (t) => {
  const { program, send, publicHost } = await setup(t)
  assert.deepEqual(await send(), { kind: 'sent' })
  await send(gatewayPage(NOTICE, true))
  const [first, again] = program.requests
  assert.deepEqual(first?.json, {
    ...{ id: ID, kind: 'page', to: NUMBER, person: 'Ada Lovelace' },
    text: '2 min late: CRITICAL Disk full · db and 2 other problems',
    ...{ problems: 3, late_ms: 120_000, may_duplicate: false },
    ack_url: `${publicHost}/api/ack/page/7?exp=1&sig=2`,
    callback_url: `${publicHost}/api/oncall/gateway/phone`,
  })
  assert.deepEqual(again?.json, { ...(first?.json as object), may_duplicate: true })
  assert.equal(first?.headers['x-tocsin-signature'], signatureOf(first?.body ?? '', { secret: SECRET, now: NOW }))
})

test('a gateway gets at most 300 characters, and a line when somebody has the problem', async (t) => {
  const { program, send } = await setup(t)
  await send(
    gatewayPage({ ...NOTICE, shown: [{ ...(NOTICE.shown[0] as PageProblem), title: `a\n${'é'.repeat(999)}` }] }),
  )
  await send(gatewayPage({ kind: 'line', text: '✅ Ben has it: Disk full' }))
  const [long, done] = program.requests.map(({ json }) => json as { kind: string; text: string })
  assert.equal(long?.text.length, 300)
  assert.deepEqual([done?.kind, done?.text], ['stand_down', 'Ben has it: Disk full'])
})

test('what a gateway answers is in no log with its secret, its address or the number of the person', async (t) => {
  const { program, send } = await setup(t)
  program.script = ({ body, url }) => ({ status: 400, body: `${SECRET} ${url} ${body}` })
  const outcome = await send()
  assert.equal(outcome.kind, 'failed')
  assert.doesNotMatch(JSON.stringify(outcome), /secret-of-the-gateway|part-of-the-address|4915112345678|sig=2/)
  program.script = () => ({ status: 503, body: 'the line is busy' })
  assert.deepEqual(await send(), { kind: 'retry', reason: 'HTTP 503: the line is busy' })
  const gone = { ...gatewayPage(), gateway: { name: 'other', to: NUMBER, id: ID } }
  assert.equal((await send(gone)).kind, 'failed')
})

test('a gateway reports that it reached, was answered, was declined or failed, or stays silent', async (t) => {
  const { program, reports, send } = await setup(t)
  await send()
  const page = program.requests[0] ?? assert.fail()
  for (const states of [['delivered', 'answered', 'acknowledged'], ['declined'], ['failed'], []])
    assert.deepEqual(
      await reportAll(page, { secret: SECRET, reports: states, detail: `line 3, ${NUMBER}\nbusy`, now: () => NOW }),
      states.map(() => 200),
    )
  assert.deepEqual(
    reports.map(({ state }) => state),
    ['delivered', 'answered', 'acknowledged', 'declined', 'failed'],
  )
  assert.deepEqual(reports[0], { gateway: 'phone', id: ID, state: 'delivered', detail: 'line 3, … busy' })
})

test('a report with a wrong, old or missing signature, or of a gateway that is not configured, changes nothing', async (t) => {
  const { reports, report, publicHost } = await setup(t)
  const body = JSON.stringify({ id: ID, state: 'acknowledged' })
  for (const how of [{ secret: 'another' }, { secret: '' }, { now: NOW - 301_000 }, { now: NOW + 301_000 }])
    assert.equal(await report(body, how), 401)
  assert.equal(await report(body, { name: 'unknown', secret: '' }), 401)
  const header = signatureOf(body, { secret: SECRET, now: NOW })
  for (const given of ['', header.toUpperCase(), `${header}0`, header.replace('t=', 't=0')]) {
    const headers = { 'x-tocsin-signature': given }
    const answer = await fetch(`${publicHost}/api/oncall/gateway/phone`, { method: 'POST', headers, body })
    assert.equal(answer.status, 401, given)
  }
  for (const odd of [
    '',
    '[]',
    '{}',
    JSON.stringify({ id: ID, state: 'sent' }),
    JSON.stringify({ id: 7, state: 'failed' }),
  ])
    assert.equal(await report(odd), 400, odd)
  assert.equal(await report(JSON.stringify({ id: 'of another gateway', state: 'failed' })), 404)
  assert.deepEqual(reports, [])
  assert.equal(await report(body, { now: NOW - 299_000 }), 200)
})
