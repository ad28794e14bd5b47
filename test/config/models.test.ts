import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROVIDERS } from '../../src/models/options.ts'
import { issuesOf, load } from './setup.ts'

const GIVEN = {
  openai: '{ api_key: k, model: m }',
  azure_openai: '{ url: "https://name.openai.azure.com/openai/v1/", api_key: k, model: m }',
  openai_compatible: '{ url: "http://10.1.2.3/v1", model: m, allow_private: true }',
  ollama: '{ model: m }',
  anthropic: '{ api_key: k, model: m }',
}
const ADDRESS = {
  openai: 'https://api.openai.com/v1',
  azure_openai: 'https://name.openai.azure.com/openai/v1',
  openai_compatible: 'http://10.1.2.3/v1',
  ollama: 'http://127.0.0.1:11434',
  anthropic: 'https://api.anthropic.com/v1',
}
const agentWith = (provider: string, more = '') =>
  `agent: { enable: true, mode: detect, ai: { enable: true, provider: ${provider}${more} } }\n`

for (const provider of PROVIDERS)
  test(`${provider}: address, key and model are its own, whatever base_url says; what is lacking is named`, () => {
    const { config, warnings } = load(
      `${agentWith(provider, ', base_url: "https://elsewhere.example"')}models: { ${provider}: ${GIVEN[provider]} }\n`,
      { env: { AGENT_AI_BASE_URL: 'https://elsewhere.example' } },
    )
    const { url, model, allowPrivate } = config.agent.ai
    assert.deepEqual([url, model], [ADDRESS[provider], 'm'])
    assert.equal(allowPrivate, provider !== 'azure_openai')
    assert.equal(warnings.filter((each) => /base_url|BASE_URL/.test(each)).length, 2, warnings.join('\n'))
    const lacking = issuesOf(agentWith(provider)).map((issue) => issue.split(': ')[1])
    const keys = {
      openai: ['agent.ai.api_key'],
      azure_openai: ['models.azure_openai.url', 'models.azure_openai.api_key', 'models.azure_openai.model'],
      openai_compatible: ['models.openai_compatible.url', 'models.openai_compatible.model'],
      ollama: ['models.ollama.model'],
      anthropic: ['models.anthropic.api_key', 'models.anthropic.model'],
    }
    assert.deepEqual(lacking, keys[provider])
  })

test('agent.ai.api_key and model are those of OpenAI, unless models.openai has its own', () => {
  const { ai } = load('agent: { ai: { api_key: a, model: b } }\n').config.agent
  assert.deepEqual([ai.provider, ai.apiKey, ai.model], ['openai', 'a', 'b'])
  const own = load('agent: { ai: { api_key: a, model: b } }\nmodels: { openai: { model: c } }\n').config.agent.ai
  assert.deepEqual([own.apiKey, own.model], ['a', 'c'])
})

test('Azure is asked over https only, and a module beside another provider is an error', () => {
  const azure = 'models: { azure_openai: { url: "http://name.example", api_key: k, model: m } }\n'
  assert.match(issuesOf(agentWith('azure_openai') + azure).join(), /azure_openai\.url: must begin with https/)
  assert.match(
    issuesOf(`${agentWith('ollama', ', backend: ./own.js')}models: { ollama: { model: m } }\n`).join(),
    /agent\.ai\.provider: has no meaning beside a module/,
  )
})

test('plain http to a public address is warned of, to one of the own network it is not', () => {
  const warned = (url: string) =>
    load(`${agentWith('ollama')}models: { ollama: { model: m, url: "${url}" } }\n`).warnings.some((each) =>
      /models\.ollama\.url: is not https/.test(each),
    )
  assert.deepEqual(
    [
      'http://llm.example.com/',
      'http://8.8.8.8:11434',
      'http://10.0.0.7:11434',
      'http://ollama:11434',
      'http://ollama.tools.svc:11434',
      'http://[::1]:11434',
      'https://llm.example.com',
    ].map(warned),
    [true, true, false, false, false, false, false],
  )
})
