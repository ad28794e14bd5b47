import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { modelBackend } from '../../src/analysis/model-backend.ts'
import type { ModelFailure } from '../../src/models/model.ts'
import { openModel } from '../../src/models/open.ts'
import type { Provider } from '../../src/models/options.ts'
import { askOptions, FINDING, observation } from '../analysis/setup.ts'
import { startInternet } from '../topic/internet.ts'

const KEY = 'key-of-the-providers-0123'
const REQUEST = { system: 'be short', user: 'what is it?', schema: { type: 'object' } }

/** The fields of all wires that are looked at. */
interface Sent {
  readonly system: string
  readonly messages: readonly { readonly content: string }[]
  readonly response_format: { readonly json_schema: { readonly schema: object } }
  readonly format: object
  readonly stream: boolean
  readonly options: { readonly num_ctx: number }
  readonly tools: readonly { readonly name: string; readonly input_schema: object }[]
  readonly tool_choice: { readonly name: string }
}

interface Wire {
  readonly url: string
  readonly host: string
  readonly path: string
  /** The answer of the provider; `cut`: the model ran out of tokens. */
  answer(text: string, cut?: boolean): object
  /** What is asked of the model, and the header with the key. */
  asked(body: Sent, headers: { [name: string]: unknown }): unknown
}

const completion: Wire['answer'] = (content, cut) => ({
  model: 'm-1',
  choices: [{ message: { role: 'assistant', content }, finish_reason: cut ? 'length' : 'stop' }],
  usage: { total_tokens: 70 },
})
const askedCompletion = ({ messages, response_format: { json_schema } }: Parameters<Wire['asked']>[0]) => [
  messages[0]?.content,
  messages[1]?.content,
  json_schema.schema,
]

const WIRES: { readonly [name in Provider]: Wire } = {
  openai: {
    url: 'https://elsewhere.example/v1',
    host: 'api.openai.com',
    path: '/v1/chat/completions',
    answer: completion,
    asked: (body, { authorization }) => [...askedCompletion(body), authorization === `Bearer ${KEY}`],
  },
  azure_openai: {
    url: 'https://name.openai.azure.com/openai/v1',
    host: 'name.openai.azure.com',
    path: '/openai/v1/chat/completions',
    answer: completion,
    asked: (body, headers) => [
      ...askedCompletion(body),
      headers['api-key'] === KEY && headers.authorization === undefined,
    ],
  },
  openai_compatible: {
    url: 'https://llm.example/v1',
    host: 'llm.example',
    path: '/v1/chat/completions',
    answer: completion,
    asked: (body, { authorization }) => [...askedCompletion(body), authorization === `Bearer ${KEY}`],
  },
  ollama: {
    url: 'https://ollama.example',
    host: 'ollama.example',
    path: '/api/chat',
    answer: (content, cut) => ({
      model: 'm-1',
      message: { role: 'assistant', content },
      done: true,
      done_reason: cut ? 'length' : 'stop',
      prompt_eval_count: 60,
      eval_count: 10,
    }),
    asked: ({ messages, format, stream, options }, { authorization }) => [
      messages[0]?.content,
      messages[1]?.content,
      format,
      stream === false && options.num_ctx === 9_000 && authorization === undefined,
    ],
  },
  anthropic: {
    url: 'https://elsewhere.example',
    host: 'api.anthropic.com',
    path: '/v1/messages',
    answer: (text, cut) => ({
      model: 'm-1',
      stop_reason: cut ? 'max_tokens' : 'tool_use',
      content: [{ type: 'tool_use', id: 't', name: 'answer', input: JSON.parse(text) }],
      usage: { input_tokens: 60, output_tokens: 10 },
    }),
    asked: ({ system, messages, tools, tool_choice }, headers) => [
      system,
      messages[0]?.content,
      tools[0]?.input_schema,
      tool_choice.name === tools[0]?.name && headers['x-api-key'] === KEY,
    ],
  },
}

async function given(t: TestContext, provider: Provider) {
  const wire = WIRES[provider]
  const net = await startInternet(t)
  const options = askOptions({ provider, url: wire.url, apiKey: KEY, context: 9_000, allowPrivate: false })
  const says = (body: object | string, status = 200) => {
    net.answer = ({ host }) =>
      host === wire.host
        ? {
            status,
            headers: { 'content-type': 'application/json', location: 'https://elsewhere.example/' },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }
        : undefined
  }
  const model = openModel(options)
  const ask = (signal = new AbortController().signal) => model.ask(REQUEST, signal)
  const fails = async (kind: string, reason = /./, signal?: AbortSignal) => {
    await assert.rejects(ask(signal), (failure: ModelFailure) => {
      assert.equal(failure.kind, kind, failure.message)
      assert.match(failure.message, reason)
      assert.ok(!failure.message.includes(KEY) && failure.message.length <= 500, failure.message)
      return true
    })
  }
  return { wire, net, options, says, ask, fails }
}

for (const provider of Object.keys(WIRES) as Provider[])
  describe(provider, () => {
    test('is asked once, at its address, with both prompts, the schema and the key', async (t) => {
      const { wire, net, says, ask } = await given(t, provider)
      says(wire.answer('{"a":1}'))
      assert.deepEqual(await ask(), { text: '{"a":1}', model: 'm-1', tokens: 70 })
      const [{ host, url, headers, body } = assert.fail(), ...more] = net.asked
      assert.deepEqual([host, url, more], [wire.host, wire.path, []])
      assert.deepEqual(wire.asked(JSON.parse(body), headers), ['be short', 'what is it?', REQUEST.schema, true])
    })

    test('fails with a reason and without the key at errors, redirects, and answers of another form', async (t) => {
      const { wire, net, says, fails } = await given(t, provider)
      says({ error: { message: `no such model for ${KEY}` } }, 404)
      await fails('failed', /404 no such model/)
      says(`out of order ${KEY}`, 500)
      await fails('failed', /500/)
      for (const status of [301, 302, 307, 308]) {
        says('', status)
        await fails('failed')
      }
      for (const body of ['', '<html>', '[]', '{"model":1}', '{"choices":[null]}']) {
        says(body)
        await fails('failed')
      }
      says({ ...wire.answer('{"a":1}'), padding: 'x'.repeat(300_000) })
      await fails('failed', /longer than 262144 bytes/)
      assert.deepEqual([...new Set(net.connects)], [`${wire.host}:443`])
    })

    test('a cut answer is not taken, and one that does not come ends with its signal', async (t) => {
      const { wire, net, says, fails } = await given(t, provider)
      says(wire.answer('{"a":1}', true))
      await fails('cut', /max_tokens/)
      net.answer = () => ({ hang: true })
      await fails('timeout', /in time/, AbortSignal.timeout(300))
    })

    test('explains what the log agent found; an answer that fills the context counts as cut', async (t) => {
      const { wire, says, options } = await given(t, provider)
      says(wire.answer(JSON.stringify(FINDING)))
      const signal = new AbortController().signal
      assert.deepEqual((await modelBackend(options).analyze(observation(), signal)).finding, FINDING)
      await assert.rejects(modelBackend({ ...options, context: 70 }).analyze(observation(), signal), {
        kind: 'cut',
        message: /context/,
      })
    })
  })

test('a prompt has only the samples that fit into the context', async (t) => {
  const { wire, net, says, options } = await given(t, 'ollama')
  says(wire.answer(JSON.stringify(FINDING)))
  const samples = Array.from({ length: 10 }, (_, at) => `line ${at} ${'x'.repeat(1_500)}`)
  await modelBackend({ ...options, context: 4_000 }).analyze(observation({ samples }), new AbortController().signal)
  const { messages } = JSON.parse(net.asked[0]?.body ?? '')
  assert.match(messages[1].content, /line 0 /)
  assert.doesNotMatch(messages[1].content, /line 9 /)
  assert.ok(messages[0].content.length + messages[1].content.length <= 3 * (4_000 - options.maxTokens))
})

for (const [schema, expected] of [
  ['json_object', { type: 'json_object' }],
  ['none', undefined],
] as const)
  test(`a server with schema ${schema} is told the form in words, and its words around the JSON are passed over`, async (t) => {
    const { wire, net, says, options } = await given(t, 'openai_compatible')
    says(wire.answer(`Here you are:\n\`\`\`json\n${JSON.stringify(FINDING)}\n\`\`\``))
    const backend = modelBackend({ ...options, schema })
    assert.deepEqual((await backend.analyze(observation(), new AbortController().signal)).finding, FINDING)
    const asked = JSON.parse(net.asked[0]?.body ?? '')
    assert.deepEqual(asked.response_format, expected)
    assert.match(asked.messages[0].content, /JSON schema:\n\{"type":"object"/)
  })

test('private addresses need allow_private, by number and by name; link-local ones are always refused', async (t) => {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(String(req.headers.host).replace(/:\d+$/, ''))
    res.end(JSON.stringify(WIRES.ollama.answer('{"a":1}')))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const askAt = (host: string, allowPrivate: boolean) =>
    openModel(askOptions({ provider: 'ollama', url: `http://${host}:${port}`, allowPrivate })).ask(
      REQUEST,
      AbortSignal.timeout(5_000),
    )
  const hosts = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']
  for (const host of hosts) await assert.rejects(askAt(host, false), { kind: 'failed', message: /allow_private/ }, host)
  assert.deepEqual(asked, [])
  for (const host of hosts.slice(0, 2)) assert.equal((await askAt(host, true)).text, '{"a":1}', host)
  assert.deepEqual(asked, hosts.slice(0, 2))
  for (const host of ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]'])
    await assert.rejects(askAt(host, true), { kind: 'failed', message: /link-local/ }, host)
})
