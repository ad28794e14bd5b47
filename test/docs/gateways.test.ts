import assert from 'node:assert/strict'
import { test } from 'node:test'
import vm from 'node:vm'
import { isSigned, signatureOf } from '../../src/oncall/signature.ts'
import { blocksOf } from './pages.ts'

const [SIGNING = '', PAGE = '', KEY = ''] = blocksOf('docs/gateways.md')
  .filter(({ language }) => language === 'js')
  .map(({ text }) => text)
const SECRET = 'secret-of-the-gateway'
type Handler = (context: object, event: object, done: (error: Error | null, said?: unknown) => void) => Promise<void>

/** Runs the code of the page beside a Twilio that is made up. */
function run(
  code: string,
  more: object = {},
): { handler: Handler; sign: typeof signatureOf; isSigned: typeof isSigned } {
  const twiml = { VoiceResponse }
  const exports = {}
  const globals = { exports, Date, Buffer, Math, Number, JSON, Twilio: { twiml }, ...more }
  const context = vm.createContext({ ...globals, require: (name: string) => process.getBuiltinModule(name) })
  vm.runInContext(`${SIGNING}\n${code}\nexports.sign = sign; exports.isSigned = isSigned`, context)
  return exports as never
}

class VoiceResponse {
  said: string[] = []
  gather({ action }: { action: string }) {
    this.said.push(action)
    return this
  }
  say(text: string) {
    this.said.push(text)
  }
  toString() {
    return this.said.join(' | ')
  }
}

test('the code that checks a signature takes what the service signs, and nothing else', () => {
  const code = run('')
  const check = code.isSigned as unknown as (secret: string, header: string, body: string) => boolean
  const sign = code.sign as unknown as (secret: string, body: string) => string
  const header = signatureOf('{}', { secret: SECRET, now: Date.now() })
  assert.equal(check(SECRET, header, '{}'), true)
  const old = signatureOf('{}', { secret: SECRET, now: Date.now() - 301_000 })
  for (const [secret, given, body] of [
    ['other', header, '{}'],
    [SECRET, header, '{ }'],
    [SECRET, old, '{}'],
    [SECRET, '', '{}'],
  ] as const)
    assert.equal(check(secret, given, body), false)
  assert.equal(isSigned(sign(SECRET, '{}'), Buffer.from('{}'), { secret: SECRET, now: Date.now() }), true)
})

test('the functions for Twilio call the person of a signed page, and report the key that was pressed', async () => {
  const calls: { to: string; twiml: string }[] = []
  const client = { calls: { create: async (call: (typeof calls)[number]) => void calls.push({ ...call }) } }
  const context = { TOCSIN_SECRET: SECRET, DOMAIN_NAME: 'd.example', FROM: '+1', CALLBACK_URL: 'https://t.example/cb' }
  const page = { id: 'an-id', kind: 'page', to: '+49', text: 'CRITICAL Disk full', may_duplicate: false }
  const header = signatureOf(JSON.stringify(page), { secret: SECRET, now: Date.now() })
  const errors: (Error | null)[] = []
  const ask = (given: object) =>
    run(PAGE).handler(
      { ...context, getTwilioClient: () => client },
      { request: { headers: { 'x-tocsin-signature': header } }, ...given },
      (error) => errors.push(error),
    )
  await ask(page)
  await ask({ ...page, to: '+44' })
  assert.deepEqual(calls, [
    {
      ...{ to: '+49', from: '+1' },
      twiml: 'https://d.example/key?id=an-id | CRITICAL Disk full. Press 1 to acknowledge, 2 if you cannot.',
    },
  ])
  assert.deepEqual([errors[0], errors[1]?.message], [null, 'the signature is wrong'])

  const posted: { url: string; body: string; headers: { 'x-tocsin-signature': string } }[] = []
  const fetch = async (url: string, init: object) => {
    posted.push({ url, ...init } as never)
    return { ok: true }
  }
  for (const Digits of ['1', '2', '7']) await run(KEY, { fetch }).handler(context, { id: 'an-id', Digits }, () => {})
  assert.deepEqual(
    posted.map(({ url, body }) => [url, JSON.parse(body).state]),
    ['acknowledged', 'declined', 'answered'].map((state) => ['https://t.example/cb', state]),
  )
  for (const { body, headers } of posted)
    assert.ok(isSigned(headers['x-tocsin-signature'], Buffer.from(body), { secret: SECRET, now: Date.now() }))
})
