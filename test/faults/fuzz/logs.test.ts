import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { admin, SECRET } from '../../harness/net/requests.ts'
import { until } from '../../harness/until.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { body, tree, word } from './hostile.ts'

const LINES = [
  'ERROR password=hunter2 token=xoxb-1 user@example.com 10.0.0.1',
  '2025-01-01T00:00:00Z error: connection 17 to db lost',
  '99999-99-99 99:99:99 ERROR',
  '\tat java.lang.Thread.run(Thread.java:1)',
  '{"message":{"toString":null},"level":1e999}',
  '{"message":"\\ud800","__proto__":{"service":"x"}}',
  `${'a'.repeat(50_000)}!`,
  `${'a=b '.repeat(10_000)}`,
  `${'['.repeat(10_000)}`,
  `${'\u0301'.repeat(3_000)} error`,
  '\u0000\u0001\u001b[31m error \u001b[0m',
]
const line = fc.oneof(
  word,
  fc.constantFrom(...LINES),
  tree.map((value) => JSON.stringify(value)),
  fc.array(word, { maxLength: 12 }).map((words) => `error ${words.join(' ')}`),
)
const lines = fc.array(line, { minLength: 1, maxLength: 30 }).map((all) => Buffer.from(all.join('\n')))
const pushed = fc.record({
  type: fc.constantFrom('text/plain', 'application/json', 'application/x-ndjson'),
  body: fc.oneof(lines, body),
  packed: fc.boolean(),
})

interface Status {
  readonly sources: readonly { readonly name: string; readonly events: number }[]
}

test('after any log line the agent reads on', async (t) => {
  const victim = await startVictim(t)
  const before = victim.rss()
  const arbitrary = fc.tuple(pushed, fc.oneof(lines, body))
  await holdsFor(t, { share: 0.08, arbitrary }, async ([push, written]) => {
    appendFileSync(victim.logs, written)
    appendFileSync(victim.logs, '\n')
    const answer = await fetch(`${victim.url}/api/agent/logs/push`, {
      method: 'POST',
      headers: {
        'X-Gateway-Secret': SECRET,
        'Content-Type': push.type,
        ...(push.packed ? { 'Content-Encoding': 'gzip' } : {}),
      },
      body: push.packed ? gzipSync(push.body) : push.body,
    })
    const reply = await answer.text()
    const sent = () =>
      `${answer.status} ${reply} to ${push.type} ${JSON.stringify(push.body.toString()).slice(0, 2_000)}`
    assert.ok([202, 400, 413, 415, 503].includes(answer.status), sent())
  })
  const status = () => admin<Status>(victim.url, '/api/agent/status')
  const eventsOf = ({ sources }: Status) => sources.find(({ name }) => name === 'app')?.events ?? 0
  const seen = eventsOf(await status())
  appendFileSync(victim.logs, 'error: the last line of all\nand one to end it\n')
  await until(status, (now) => eventsOf(now) > seen)
  for (const path of ['patterns', 'services', 'detect']) await admin(victim.url, `/api/agent/${path}`)
  await victim.assertSound()
  assertBounded(before, victim.rss())
})
