import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ProblemDetail } from '../../../src/api/noise/problem.ts'
import { brief, note } from '../../../src/commands/noise/brief.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post, SECRET } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const FIRES = { title: 'Card declines', ServiceName: 'payments', severity: 'critical' }

async function started(t: TestContext, sections: object) {
  const chat = await startStandIn(t, 'chatws')
  const alert = { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } }
  const { url } = await startTestSystem(t, configFile(folder(), { alert, ...sections }))
  const problem = (state: string) =>
    until(
      () => admin<ProblemDetail>(url, '/api/admin/problems/1').catch(() => undefined),
      (found) => found?.state === state,
    )
  return { chat, url, problem }
}

test('the command prints a brief with the note that another one added', async (t) => {
  const { url, problem } = await started(t, { brief: { enable: true } })
  await post(url, FIRES)
  assert.equal((await problem('firing'))?.brief, true)
  const printed: string[] = []
  t.mock.method(console, 'log', (line: string) => printed.push(line))
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => {
    delete process.env.GATEWAY_SECRET
  })
  assert.equal(await note.run(['1', 'bank B', 'was down', '--by', 'Ada', '--url', url]), 0)
  assert.deepEqual(printed.splice(0), ['note 1'])
  assert.equal(await brief.run(['1', '--url', url]), 0)
  const text = printed.splice(0).join('\n')
  assert.match(
    text,
    /^problem 1 {2}Card declines {2}payments {2}critical {2}fires for \d+ s, 1 incident, not ack.* problem:1$/m,
  )
  assert.match(text, /^ note {7}Ada, [\d:]{5}: "bank B was down" +note:1$/m)
  assert.equal(await brief.run(['1', '--opening', '1', '--json', '--url', url]), 0)
  assert.equal(JSON.parse(printed.splice(0).join()).problem.opening, 1)
  await assert.rejects(brief.run(['1', '2', '--url', url]), /takes the number of a problem or the id of an incident/)
  await assert.rejects(note.run(['1', '--url', url]), /takes an id and a text/)
})

test('a problem that fires again has a reply in the thread of its message, of at most five lines', async (t) => {
  const sections = { brief: { enable: true }, noise: { brief: { mode: 'thread', after: '1ms' } } }
  const { chat, url, problem } = await started(t, sections)
  await post(url, FIRES)
  await problem('firing')
  await post(url, { ...FIRES, status: 'resolved' })
  await problem('resolved')
  await post(url, FIRES)
  const reply = await chat.waitFor(({ body }) => body.includes('before: 1 time in 30 days'))
  const { thread_ts, text } = JSON.parse(reply.body)
  assert.match(thread_ts, /^\d/)
  assert.ok(text.split('\n').length <= 5, text)
})
