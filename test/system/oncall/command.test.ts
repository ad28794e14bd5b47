import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { UsageError } from '../../../src/commands/command.ts'
import { oncall } from '../../../src/commands/oncall/command.ts'
import { field } from '../../../src/simulator/exchange.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { SECRET } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'

/** Runs the command against a service; returns its exit code and what it printed. */
async function ask(t: TestContext, url: string, words: readonly string[]) {
  const lines: string[] = []
  const printed = t.mock.method(console, 'log', (text: string) => lines.push(text))
  const code = await oncall.run([...words, '--url', url])
  printed.mock.restore()
  return { code, lines: lines.join('\n').split('\n') }
}

test('an override is made and ended by the command, and --url shows it', async (t) => {
  const schedules = { primary: { layers: [{ name: 'all', start: '2026-01-05', every: '1 week', members: ['ada'] }] } }
  const file = configFile(folder(), { people: { ada: { name: 'Ada' }, ben: {} }, oncall: { schedules } })
  const { url } = await startTestSystem(t, file)
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const words = ['override', 'primary', '--person', 'ben', '--until', until, '--reason', 'dentist', '--by', 'Ada']
  const made = await ask(t, url, words)
  assert.match(made.lines[0] ?? '', /^override 1: ben is on call for primary from .*Z to .*Z$/)
  const shown = await ask(t, url, [])
  assert.equal(shown.lines[0], 'primary (UTC)')
  assert.match(shown.lines[1] ?? '', /^ {2}\S+ \S+ {2}\S+ \S+ {2}ben {8}override 1 by Ada: dentist$/)
  assert.match(shown.lines[2] ?? '', /Ada \(ada\) {2}layer all$/)
  assert.equal(shown.lines[3], '  no gap in 30 days')
  const ended = await ask(t, url, ['override', 'end', '1', '--by', 'Ada'])
  assert.deepEqual(ended, { code: 0, lines: ['override 1 of primary has ended'] })
  await assert.rejects(ask(t, url, ['override', 'end', 'all']), UsageError)
  await assert.rejects(ask(t, url, ['override', 'primary', '--person', 'ben']), UsageError)
  await assert.rejects(ask(t, url, ['cover']), UsageError)
})

test('test sends a message by each way of a person, and says which arrived', async (t) => {
  const chat = await startStandIn(t, 'chatws')
  const calls = await startStandIn(t, 'gateway')
  const pager = await startStandIn(t, 'pagerduty')
  calls.script = () => ({ status: 400, body: 'no such number' })
  const ways = [
    { chatws: 'U0ADA00001' },
    { gateway: 'phone', to: '+4915112345678' },
    { provider: 'pagerduty', routing_key: 'key-of-ada' },
  ]
  const file = configFile(folder(), {
    alert: { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } },
    people: { ada: { name: 'Ada', ways }, ben: {} },
    oncall: {
      ...{ enable: true, provider: 'pagerduty', pagerduty: { routing_key: 'k', api_url: pager.url } },
      gateways: { phone: { url: `${calls.url}/tocsin`, secret: 'secret-of-the-gateway' } },
      escalations: { office: { steps: [{ notify: ['person:ada'] }] } },
    },
  })
  const { url } = await startTestSystem(t, file)
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  const { code, lines } = await ask(t, url, ['test', 'ada'])
  assert.equal(code, 1)
  assert.match(lines[0] ?? '', /^1 +chatws +arrived/)
  assert.match(lines[1] ?? '', /^2 +gateway:phone +FAILED .*400/)
  assert.match(lines[2] ?? '', /^3 +provider +arrived/)
  assert.equal(field(chat.requests[0]?.json, 'channel'), 'U0ADA00001')
  assert.match(chat.requests[0]?.body ?? '', /Tocsin test message/)
  assert.match(
    calls.requests[0]?.body ?? '',
    /"kind":"test","to":"\+4915112345678","text":"Tocsin test message for Ada/,
  )
  assert.doesNotMatch(calls.requests[0]?.body ?? '', /callback_url|ack_url/)
  assert.deepEqual(
    pager.requests.map(({ json }) => [field(json, 'event_action'), field(json, 'routing_key')]),
    [
      ['trigger', 'key-of-ada'],
      ['resolve', 'key-of-ada'],
    ],
  )
  for (const person of ['ben', 'dora']) await assert.rejects(ask(t, url, ['test', person]), UsageError)
})
