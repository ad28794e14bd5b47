import assert from 'node:assert/strict'
import test from 'node:test'
import { errorOf, serve } from './harness.ts'

test('overrides choose among configured names', async (t) => {
  const { ask, intakes } = await serve(t)
  const query =
    'officechat_other_flow_url=qc&chatws_other_channel_id=night&incident_io_other_alert_source_config_id=dba&pagerduty_other_routing_key=db&oncall_enable=false&oncall_wait_minutes=0.5&trace=1'
  assert.equal((await ask(`/api/incidents?${query}`, { method: 'POST', body: '{}' })).status, 201)
  assert.deepEqual(intakes[0]?.overrides, {
    targets: { officechat: 'qc', chatws: 'night', incident_io: 'dba' },
    pagerdutyRoutingKey: 'db',
    oncallEnable: false,
    oncallWaitMinutes: 0.5,
  })
})

test('foreign and empty parameters are ignored', async (t) => {
  const { ask, intakes } = await serve(t)
  for (const query of ['', 'utm=1', 'officechat_other_flow_url=', 'a&b&=&%zz'])
    assert.equal((await ask(`/api/incidents?${query}`, { method: 'POST', body: '{}' })).status, 201)
  assert.deepEqual(
    intakes.map(({ overrides }) => overrides),
    [undefined, undefined, undefined, undefined],
  )
})

test('an unknown name is answered 400 with the known ones', async (t) => {
  const { ask, intakes } = await serve(t)
  for (const [query, message] of [
    ['officechat_other_flow_url=nope', /"nope".*known: qc, ops/],
    ['officechat_other_flow_url=__proto__', /known: qc, ops/],
    ['officechat_other_flow_url=constructor', /known: qc, ops/],
    ['officechat_other_flow_url=http%3A%2F%2F127.0.0.1%2F', /known: qc, ops/],
    ['chatws_other_channel_id=day', /known: night/],
    ['messenger_other_channel_id=x', /none is configured/],
    ['pagerduty_other_routing_key=x', /known: db/],
    ['officechat_other_webhook_url=qc', /not a known parameter; known: officechat_other_flow_url,/],
    ['__proto___other_channel_id=x', /not a known parameter/],
  ] as const) {
    const answer = await ask(`/api/incidents?${query}`, { method: 'POST', body: '{}' })
    assert.equal(answer.status, 400, query)
    assert.match(errorOf(answer), message)
  }
  assert.equal(intakes.length, 0)
})

test('on-call parameters are checked', async (t) => {
  const { ask } = await serve(t)
  for (const query of [
    'enable=yes',
    'enable=TRUE',
    'wait_minutes=-1',
    'wait_minutes=1e9',
    'wait_minutes=NaN',
    'wait_minutes=10081',
    'wait_seconds=1',
  ]) {
    const answer = await ask(`/api/incidents?oncall_${query}`, { method: 'POST', body: '{}' })
    assert.equal(answer.status, 400, query)
  }
})

test('a parameter given twice is refused', async (t) => {
  const { ask } = await serve(t)
  const path = '/api/incidents?officechat_other_flow_url=qc&officechat_other_flow_url=ops'
  assert.match(errorOf(await ask(path, { method: 'POST', body: '{}' })), /more than once/)
})

test('a long hostile value is cut and escaped in the answer', async (t) => {
  const { ask } = await serve(t)
  const value = encodeURIComponent(`<script>"\n${'x'.repeat(2000)}`)
  const answer = await ask(`/api/incidents?chatws_other_channel_id=${value}`, { method: 'POST', body: '{}' })
  assert.ok(answer.text.length < 300)
  assert.match(errorOf(answer), /"<script>\\"\\nx+\.\.\."/)
})
