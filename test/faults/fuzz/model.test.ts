import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AnalysisFailure, CATEGORIES, SEVERITIES } from '../../../src/analysis/contract.ts'
import { modelBackend } from '../../../src/analysis/model-backend.ts'
import { askOptions, FINDING, observation } from '../../analysis/setup.ts'
import { startInternet } from '../../topic/internet.ts'
import { holdsFor } from '../campaign.ts'
import { body, tree, word } from './hostile.ts'

const KEY = `sk-${'planted-key-of-the-model'}`
/** Generates mostly valid values. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: tree })

const finding = fc.record({
  title: mostly(word.map((text) => `${text}.`)),
  summary: mostly(word),
  severity: mostly(fc.constantFrom(...SEVERITIES)),
  category: mostly(fc.constantFrom(...CATEGORIES)),
  confidence: mostly(fc.constantFrom(0, 0.5, 1, 1e300, -1)),
  suggestions: mostly(fc.array(word, { maxLength: 9 })),
  action: tree,
})
const content = mostly(
  fc.oneof(
    { weight: 4, arbitrary: finding.map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[
          '',
          'null',
          '[]',
          '{"title":',
          '['.repeat(10_000),
          `refused: ${KEY}`,
          `{"title":"${'x'.repeat(1_000_000)}"}`,
        ],
        ...[JSON.stringify(FINDING), `\`\`\`json\n${JSON.stringify(FINDING)}\n\`\`\``],
      ),
    },
    { weight: 1, arbitrary: word },
  ),
)
const message = fc.record({ role: fc.constant('assistant'), content, refusal: tree }, { requiredKeys: ['content'] })
const completion = fc.oneof(
  {
    weight: 4,
    arbitrary: mostly(message).map((content) => ({ choices: [{ index: 0, message: content }], model: 'm' })),
  },
  { weight: 1, arbitrary: fc.record({ choices: tree, model: tree }) },
  { weight: 1, arbitrary: fc.constantFrom({ choices: [] }, { choices: [null] }, { error: { message: KEY } }) },
)
const TYPES = ['text/html', 'text/event-stream', 'application/octet-stream']
const answer = fc.record({
  status: fc.oneof(
    { weight: 4, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(201, 204, 302, 400, 401, 404, 429, 500, 503, 599) },
  ),
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
  ),
  content: fc.oneof(
    { weight: 4, arbitrary: completion.map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 1, arbitrary: body },
  ),
})

test('any answer of the model is a finding that fits the schema, or a named failure', async (t) => {
  const net = await startInternet(t)
  const backend = modelBackend(askOptions({ apiKey: KEY }))
  let findings = 0
  await holdsFor(t, { share: 0.05, arbitrary: answer }, async ({ status, type, content }) => {
    net.answer = ({ host }) =>
      host === 'api.openai.com'
        ? {
            status,
            headers: { 'content-type': type, location: 'https://elsewhere.test/' },
            ...(status === 204 ? {} : { body: content }),
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
  t.diagnostic(`${findings} findings`)
  const good = { choices: [{ index: 0, message: { role: 'assistant', content: JSON.stringify(FINDING) } }], model: 'm' }
  net.answer = () => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(good) })
  assert.deepEqual((await backend.analyze(observation(), AbortSignal.timeout(20_000))).finding, FINDING)
  assert.deepEqual([...new Set(net.connects)], ['api.openai.com:443'])
})
