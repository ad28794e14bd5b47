import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { FrontOptions } from '../../src/http/contract.ts'
import { openOverrides } from '../../src/http/parameters.ts'
import { errorOf, serve, TARGETS } from './harness.ts'

const read = openOverrides({ targets: TARGETS, pager: 'pagerduty', strict: false })
const SOME = 'is not configured, so the default applies'

test('overrides choose among configured names', async (t) => {
  const { ask, intakes } = await serve(t)
  const query =
    'officechat_other_flow_url=qc&chatws_other_channel_id=night&pagerduty_other_routing_key=db&oncall_enable=false&oncall_wait_minutes=0.5&trace=1'
  const answer = await ask(`/api/incidents?${query}`, { method: 'POST', body: '{}' })
  assert.deepEqual([answer.status, answer.headers['x-tocsin-warning']], [201, undefined])
  assert.deepEqual(intakes[0]?.overrides, {
    targets: { officechat: 'qc', chatws: 'night' },
    pagerdutyRoutingKey: 'db',
    oncallEnable: false,
    oncallWaitMinutes: 0.5,
  })
})

test('an id or address that the configuration knows chooses its destination, by any of the names of the parameter', () => {
  for (const [query, targets] of [
    ['chatws_channel_id=C0NIGHT', { chatws: 'night' }],
    ['chatws_other_channel_id=C0NIGHT', { chatws: 'night' }],
    ['chatws_channel_id=night', { chatws: 'night' }],
    ['slack_channel_id=C0NIGHT', { chatws: 'night' }],
    ['chatws_channel_id=C0MAIN', { chatws: null }],
    ['msgapp_chat_id=-100200', { msgapp: 'dev' }],
    ['telegram_chat_id=-100200', { msgapp: 'dev' }],
    ['messenger_user_id=w1%2Babc==', { messenger: null }],
    ['viber_channel_id=w1+abc==', { messenger: null }],
    ['email_to=Boss@example.com,%20CTO@example.com', { email: 'boss' }],
    ['officechat_other_webhook_url=qc', { officechat: 'qc' }],
    ['msteams_other_power_url=ops', { officechat: 'ops' }],
  ] as const)
    assert.deepEqual(read(query), { targets }, query)
})

test('ids that are not configured are taken only where the channel accepts them, and in their own form', () => {
  assert.deepEqual(read('msgapp_chat_id=-99'), { targets: { msgapp: 'id:-99' } })
  for (const value of ['https://example.com', 'night', 'id:-99', '-99;x'])
    assert.deepEqual(read(`msgapp_chat_id=${value}`), { warnings: [`msgapp_chat_id: "${value}" ${SOME} (known: dev)`] })
  const unknown = `chatws_channel_id: "C0OTHER" ${SOME} (known: night)`
  assert.deepEqual(read('chatws_channel_id=C0OTHER'), { warnings: [unknown] })
})

test('the ids that are not configured are bounded', () => {
  const bounded = openOverrides({ targets: TARGETS, strict: false })
  for (let id = 1; id <= 256; id++) assert.ok(bounded(`msgapp_chat_id=${id}`)?.targets)
  assert.match(bounded('msgapp_chat_id=257')?.warnings?.[0] ?? '', /more than 256 ids/)
  assert.deepEqual(bounded('msgapp_chat_id=256'), { targets: { msgapp: 'id:256' } })
})

test('foreign and empty parameters are ignored', async (t) => {
  const { ask, intakes } = await serve(t)
  for (const query of ['', 'utm=1', 'officechat_other_flow_url=', 'a&b&=&%zz', 'chat=1', 'source=grafana'])
    assert.equal((await ask(`/api/incidents?${query}`, { method: 'POST', body: '{}' })).status, 201)
  assert.deepEqual(
    intakes.map(({ overrides }) => overrides),
    [undefined, undefined, undefined, undefined, undefined, undefined],
  )
})

/** Parameters that have no effect: the query, the warning, and what a strict service answers. */
const NO_EFFECT = [
  ['officechat_other_flow_url=nope', /"nope" is not configured/, /known: qc, ops/],
  ['officechat_other_flow_url=__proto__', /"__proto__" is not/, /known: qc, ops/],
  ['officechat_other_flow_url=constructor', /"constructor" is not/, /known: qc, ops/],
  ['officechat_other_flow_url=http%3A%2F%2F127.0.0.1%2F', /: the value is not configured/, /known: qc, ops/],
  ['chatws_other_channel_id=day', /"day" is not/, /known: night/],
  ['messenger_other_channel_id=x', /"x" is not/, /none is configured/],
  ['pagerduty_other_routing_key=R0123456789abcdef0123456789abcd', /: the value is not/, /known: db/],
  ['email_to=evil@example.com', /"evil@example.com" is not/, /known: boss/],
  ['email_subject=hello', /"email_subject" is not a known parameter/, /known: officechat_other_flow_url,/],
  ['chatws_chanel_id=C0NIGHT', /"chatws_chanel_id" is not a known/, /known: officechat_other_flow_url,/],
  [
    'chatws_token=xoxb-secret',
    /^"chatws_token" is not a known parameter, so it has no effect \(known: officechat_other_flow_url, /,
    /known: /,
  ],
  ['awsim_other_response_plan=prod', /"prod" is not/, /known: infra/],
  ['servicenow_other_instance=dev', /"dev" is not/, /none is configured/],
  ['__proto___other_channel_id=x', /is not a known parameter/, /known: /],
  ['oncall_enable=maybe', /"maybe" is neither true nor false/, /write true or false/],
  ['oncall_wait_minutes=-1', /"-1" is not a number of minutes/, /write a number/],
  ['oncall_wait_minutes=1e9', /is not a number of minutes/, /write a number/],
  ['oncall_wait_minutes=10081', /is not a number of minutes/, /write a number/],
  ['oncall_wait_seconds=1', /is not a known parameter/, /known: /],
  ['officechat_other_flow_url=qc&officechat_other_flow_url=ops', /more than once/, /give one/],
  ['chatws_channel_id=C0MAIN&chatws_other_channel_id=night', /contradicts an earlier/, /give one of them/],
] as const

test('a parameter that names what is not configured costs no incident: it goes to the default, with a warning', async (t) => {
  const warned: (readonly string[])[] = []
  const { ask, intakes } = await serve(t, { warned: (warnings) => warned.push(warnings) })
  for (const [query, warning] of NO_EFFECT) {
    const answer = await ask(`/api/incidents?${query}`, { method: 'POST', body: '{}' })
    assert.equal(answer.status, 201, query)
    const { warnings = [], targets } = intakes.at(-1)?.overrides ?? {}
    assert.match(warnings[0] ?? '', warning, query)
    assert.equal(answer.headers['x-tocsin-warning'], warnings.join('; '))
    assert.deepEqual(warned.at(-1), warnings)
    assert.deepEqual(targets, query.includes('C0MAIN') ? { chatws: null } : undefined)
  }
  assert.equal(warned.length, NO_EFFECT.length)
})

test('a strict service answers them 400 with what is known, and takes no incident', async (t) => {
  const { ask, intakes } = await strictly(t)
  for (const [query, , known] of NO_EFFECT) {
    const answer = await ask(`/api/incidents?${query}`, { method: 'POST', body: '{}' })
    assert.equal(answer.status, 400, query)
    assert.match(errorOf(answer), known)
  }
  assert.equal(intakes.length, 0)
})

test('a warning names what is known, in bounded length and without addresses', () => {
  const warningOf = (names: readonly string[], ids: readonly (readonly [string, string])[] = []) => {
    const email = { names, ids: new Map(ids), enabled: true }
    return openOverrides({ targets: { email }, strict: false })('email_to=nope')?.warnings?.[0]
  }
  const told = `email_to: "nope" ${SOME}`
  assert.equal(warningOf([]), `${told} (none is configured)`)
  assert.equal(warningOf(['boss', 'night']), `${told} (known: boss, night)`)
  assert.equal(
    warningOf(['boss', 'Cto@Example.com'], [['cto@example.com', 'Cto@Example.com']]),
    `${told} (known: boss)`,
  )
  assert.equal(warningOf(['cto@example.com'], [['cto@example.com', 'cto@example.com']]), told)
  const many = Array.from({ length: 100 }, (_, nth) => `team-${nth}-${'x'.repeat(nth % 7)}`)
  const warning = warningOf(many) ?? ''
  assert.match(warning, /\(known: team-0-, team-1-x, .*, \d+ more\)$/)
  assert.ok(warning.length < 320, warning)
  assert.equal(warningOf(['n'.repeat(5_000)]), `${told} (known: 1 more)`)
})

test('a list of incidents is told of the warning too', async (t) => {
  const { ask } = await serve(t)
  const answer = await ask('/api/incidents?oncall_enable=perhaps', { method: 'POST', body: '[{},{}]' })
  assert.deepEqual([answer.status, JSON.parse(answer.text).count], [201, 2])
  assert.match(String(answer.headers['x-tocsin-warning']), /perhaps/)
})

test('a choice for a channel or provider that is not in use warns, and is kept', () => {
  assert.deepEqual(read('workchat_other_webhook_url=qa'), {
    targets: { workchat: 'qa' },
    warnings: ['workchat_other_webhook_url: workchat is not in use, so it has no effect'],
  })
  const unpaged = openOverrides({ targets: TARGETS, strict: true })
  assert.deepEqual(unpaged('oncall_enable=1'), {
    oncallEnable: true,
    warnings: ['oncall_enable: no on-call provider is configured, so nobody is paged'],
  })
})

test('true and false may be written as other programs do', () => {
  for (const word of ['true', 'TRUE', '1', 'yes', 'on']) assert.equal(read(`oncall_enable=${word}`)?.oncallEnable, true)
  for (const word of ['false', 'False', '0', 'no', 'off'])
    assert.equal(read(`oncall_enable=${word}`)?.oncallEnable, false)
})

test('a long hostile value is cut and escaped, in the answer and in the header', async (t) => {
  const value = encodeURIComponent(`<script>"\n\u{1F692}${'x'.repeat(2000)}`)
  const path = `/api/incidents?chatws_other_channel_id=${value}`
  const { ask } = await strictly(t)
  const refused = await ask(path, { method: 'POST', body: '{}' })
  assert.ok(refused.text.length < 300)
  assert.match(errorOf(refused), /"<script>\\"\\n\u{1F692}x+\.\.\."/u)
  const lenient = await serve(t)
  const header = (await lenient.ask(path, { method: 'POST', body: '{}' })).headers['x-tocsin-warning']
  assert.match(String(header), /^chatws_other_channel_id: "<script>\\"\\n\\ud83d\\ude92x+\.\.\." is not configured/)
  const [shown = ''] = /"<script>.*\.\.\."/.exec(String(header)) ?? []
  assert.equal(JSON.parse(shown).slice(0, 12), '<script>"\n\u{1F692}')
  assert.match(lenient.intakes.at(-1)?.overrides?.warnings?.[0] ?? '', /\u{1F692}/u)
})

test('many wrong parameters make few warnings', () => {
  const query = Array.from({ length: 500 }, (_, at) => `chatws_x${at}=1`).join('&')
  assert.equal(read(query)?.warnings?.length, 8)
})

function strictly(t: TestContext) {
  const parameters: FrontOptions['parameters'] = { targets: TARGETS, pager: 'pagerduty', strict: true }
  return serve(t, { parameters })
}
