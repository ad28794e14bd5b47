import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSigned, payloadOf, readPayload } from '../../src/answers/chatws.ts'
import { isObject } from '../../src/text/json-object.ts'
import { APP, blockActions, slackRequest } from '../harness/slack/app.ts'

const NOW = 1_700_000_000_000
const ORIGIN = { team: APP.team, enterprise: '', app: APP.id }
const TOKEN = '1a.subject.mac'
const read = (over: Parameters<typeof blockActions>[1] = {}, origin = ORIGIN) =>
  readPayload(blockActions(TOKEN, over), origin)
const whyOf = (over: Parameters<typeof blockActions>[1], origin = ORIGIN) => {
  const found = read(over, origin)
  return found.kind === 'refused' ? found.why : found.kind
}

test("the signature of Slack's documentation is right, at its time and with its secret alone", () => {
  const body = Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  )
  const headers = {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  }
  const secret = '8f742231b10e8888abcd99yyyzzz85a5'
  const at = 1_531_420_618_000
  assert.equal(isSigned({ headers, body }, secret, at), true)
  assert.equal(isSigned({ headers, body }, `${secret}x`, at), false)
  assert.equal(isSigned({ headers, body: Buffer.concat([body, Buffer.from('&')]) }, secret, at), false)
})

test('a signature is good for five minutes, both ways', () => {
  const { headers, body } = slackRequest(blockActions(TOKEN), NOW)
  const at = (seconds: number) => isSigned({ headers, body }, APP.signingSecret, NOW + seconds * 1_000)
  assert.deepEqual([-301, -300, 0, 300, 301].map(at), [false, true, true, true, false])
})

test('without a signature, a time or a secret nothing is signed', () => {
  const { headers, body } = slackRequest(blockActions(TOKEN), NOW, '')
  assert.equal(isSigned({ headers, body }, '', NOW), false)
  for (const name of ['x-slack-signature', 'x-slack-request-timestamp'])
    for (const value of ['', 'v0=', '0', 'NaN', '1e9', '-1', 'é'.repeat(67)])
      assert.equal(isSigned({ headers: { ...headers, [name]: value }, body }, '', NOW), false)
})

test('a press has its token, its person, its message and a key of its own', () => {
  assert.deepEqual(read(), {
    kind: 'press',
    press: {
      token: TOKEN,
      key: 'chatws T0ALERTS C0ALERTS 1700000000.000001 U0ADA 1700000002.123456',
      actor: { id: 'U0ADA', name: 'ada.l', isGuest: false },
      place: 'C0ALERTS',
      isDirect: false,
      messageId: 'C0ALERTS/1700000000.000001',
    },
    isTest: false,
  })
})

test('a direct chat, a guest and a thread are told apart', () => {
  const container = { message_ts: '1700000000.000001', thread_ts: '1690000000.000001' }
  const user = { id: 'U0GUEST', username: 'guest', team_id: 'T0OTHER' }
  const found = read({ user, container, channel: { id: 'D0ADA' } })
  assert.ok(found.kind === 'press')
  assert.deepEqual([found.press.isDirect, found.press.actor.isGuest, found.thread], [true, true, container.thread_ts])
})

test('a press of another app, of another workspace or of another shape is refused', () => {
  assert.equal(whyOf({ api_app_id: 'A0OTHER' }), 'it is of another app')
  assert.equal(whyOf({ team: { id: 'T0OTHER' } }), 'it is of another workspace')
  assert.equal(whyOf({ team: null, enterprise: null }), 'it is of another workspace')
  assert.equal(whyOf({ team: null, enterprise: { id: 'E0ALL' } }), 'it is of another workspace')
  assert.equal(whyOf({ team: null, enterprise: { id: 'E0ALL' } }, { ...ORIGIN, enterprise: 'E0ALL' }), 'press')
  for (const over of [
    { user: { id: '../..' } },
    { channel: {} },
    { container: { message_ts: '1 OR 1=1' } },
    { user: 7 },
  ])
    assert.equal(whyOf(over), 'its payload has an unknown shape')
})

test('a press of a link, and what is no press, is of somebody else', () => {
  const [action] = blockActions(TOKEN).actions
  assert.equal(read({ actions: [{ ...action, action_id: 'acknowledge' }] }).kind, 'other')
  assert.equal(read({ type: 'view_submission' }).kind, 'other')
  assert.equal(readPayload({}, ORIGIN).kind, 'other')
})

test('any bytes are a payload or none, and any payload is read', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.json(), (bytes, json) => {
      payloadOf(Buffer.from(bytes))
      const payload = payloadOf(Buffer.from(`payload=${encodeURIComponent(json)}`)) ?? {}
      assert.ok(isObject(payload))
      readPayload(payload, ORIGIN)
    }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(blockActions(TOKEN))), fc.anything(), (name, value) => {
      const { kind } = read({ [name]: value })
      assert.match(kind, /^(press|other|refused)$/)
    }),
  )
})
