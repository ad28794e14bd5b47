import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SEVERITIES } from '../../src/analysis/contract.ts'
import { AnalysisFailure } from '../../src/analysis/failure.ts'
import { openaiBackend } from '../../src/analysis/openai.ts'
import { FINDING, observation } from '../analysis/given.ts'
import { startInternet } from '../topic/internet.ts'
import { holdsFor } from './campaign.ts'
import { body, tree, word } from './hostile.ts'

const KEY = `sk-${'planted-key-of-the-model'}`
const finding = fc.record(
  {
    ...{ title: fc.oneof(word, tree), summary: fc.oneof(word, tree), severity: fc.oneof(fc.constant('high'), tree) },
    ...{
      category: fc.oneof(fc.constant('database'), tree),
      confidence: fc.oneof(fc.constantFrom<unknown>(0.5, 1e300), tree),
    },
    ...{ suggestions: fc.oneof(fc.array(word, { maxLength: 9 }), tree), action: tree },
  },
  { requiredKeys: [] },
)
const content = fc.oneof(
  finding.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    JSON.stringify(FINDING),
    '',
    'null',
    '[]',
    '{"title":',
    `\`\`\`json\n${JSON.stringify(FINDING)}\n\`\`\``,
  ),
  fc.constantFrom(`${'['.repeat(10_000)}`, `{"title":"${'x'.repeat(1_000_000)}"}`, `refused: ${KEY}`),
  word,
)
const completion = fc.oneof(
  content.map((text) => ({ choices: [{ index: 0, message: { role: 'assistant', content: text } }], model: 'm' })),
  fc.tuple(content, tree).map(([text, refusal]) => ({ choices: [{ message: { content: text, refusal } }], model: {} })),
  fc.record({ choices: tree, model: tree }),
  fc.constantFrom({ choices: [] }, { choices: [null] }, { error: { message: KEY } }),
)
const answer = fc.record({
  status: fc.constantFrom(200, 200, 200, 200, 201, 204, 302, 400, 401, 404, 429, 500, 503, 599),
  type: fc.constantFrom('application/json', 'text/html', 'text/event-stream', 'application/octet-stream'),
  said: fc.oneof(
    { weight: 4, arbitrary: completion.map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 1, arbitrary: body },
  ),
})

test('whatever the model answers, it is a finding by the schema or a failure with a name', async (t) => {
  const net = await startInternet(t)
  const backend = openaiBackend({ apiKey: KEY, model: 'm', temperature: 0, maxTokens: 10 })
  let findings = 0
  await holdsFor(t, { share: 0.05, arbitrary: answer }, async ({ status, type, said }) => {
    net.answer = ({ host }) =>
      host === 'api.openai.com'
        ? {
            status,
            headers: { 'content-type': type, location: 'https://elsewhere.test/' },
            ...(status === 204 ? {} : { body: said }),
          }
        : undefined
    const asked = net.asked.length
    const call = await backend.analyze(observation(), AbortSignal.timeout(20_000)).catch((error: unknown) => error)
    assert.equal(net.asked.length, asked + 1)
    net.asked.length = 0
    if (call instanceof Error) {
      assert.ok(call instanceof AnalysisFailure, `${call.stack}`)
      assert.ok(call.message.length <= 500 && !call.message.includes(KEY), call.message)
      return
    }
    const { finding: found } = call as { finding: typeof FINDING }
    findings++
    assert.deepEqual(Object.keys(found).sort(), Object.keys(FINDING).sort())
    assert.ok(SEVERITIES.includes(found.severity) && found.confidence >= 0 && found.confidence <= 1)
    assert.ok(found.title.length <= 160 && found.summary.length <= 1_500 && found.suggestions.length <= 6)
    assert.doesNotMatch(found.title + found.suggestions.join(''), /\p{Cc}/u)
  })
  assert.ok(findings > 0)
  assert.deepEqual([...new Set(net.connects)], ['api.openai.com:443'])
})
