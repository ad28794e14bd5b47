import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redacted, secretValues } from '../../src/config/secrets.ts'
import { issuesOf, load } from './setup.ts'

const A = 'a-token-of-24-characters'
const B = 'b-token-of-24-characters'
const tokens = (...given: string[]) => `mcp: { tokens: [${given.map((each) => `{ ${each} }`).join(', ')}] }\n`

test('a token reads, unless it says more, and conditions are those of routes', () => {
  const { config } = load(
    `gateway_secret: 0123456789\n${tokens(`name: a, token: ${A}`, `name: b, token: ${B}, scope: act, act_on: { service: "pay*" }`)}`,
  )
  const [reader, actor] = config.mcp.tokens
  assert.deepEqual(reader, { name: 'a', token: A, scope: 'read', actOn: [], mayStopPages: false })
  assert.deepEqual([actor?.scope, actor?.actOn], ['act', [{ field: 'service', values: ['pay*'], where: '' }]])
  assert.deepEqual(load('').config.mcp, { tokens: [], origins: [], linkHosts: [] })
})

test('names and secrets of tokens are their own, secrets are long, and act needs the gateway secret', () => {
  for (const [given, issue] of [
    [tokens(`name: a, token: ${A}`, `name: a, token: ${B}`), /tokens\.1\.name: is also the name of mcp\.tokens\.0/],
    [tokens(`name: a, token: ${A}`, `name: b, token: ${A}`), /tokens\.1\.token: is also the token of mcp\.tokens\.0/],
    [tokens('name: a, token: short'), /tokens\.0\.token: must be 24 to 255/],
    [tokens('name: a'), /tokens\.0\.token: must be 24 to 255/],
    [tokens(`name: "a b", token: ${A}`), /tokens\.0\.name: must be 1 to 64/],
    [tokens(`token: ${A}`), /tokens\.0\.name: must be 1 to 64/],
    [tokens(`name: a, token: ${A}, scope: act`), /tokens\.0\.scope: is act and needs gateway_secret/],
    [tokens(`name: a, token: ${A}, act_on: { services: x }`), /act_on\.services: is not a field/],
    ['mcp: { origins: ["https://x.example/path"] }\n', /origins\.0: must be an origin/],
    ['mcp: { link_hosts: ["https://x.example"] }\n', /link_hosts\.0: must be the name of a host/],
  ] as const)
    assert.match(issuesOf(given).join('\n'), issue)
})

test('a secret of a token is masked, and comes from a variable or from MCP_TOKENS', () => {
  const env = { OPS: A, MCP_TOKENS: JSON.stringify([{ name: 'b', token: B }]) }
  const { OPS, MCP_TOKENS } = env
  for (const [text, variables, secret] of [
    [tokens(`name: a, token: "\${OPS}"`), { OPS }, A],
    ['', { MCP_TOKENS }, B],
  ] as const) {
    const { config } = load(text, { env: variables })
    assert.equal(config.mcp.tokens[0]?.token, secret)
    assert.ok(secretValues(config).includes(secret))
    assert.ok(!JSON.stringify(redacted(config)).includes(secret))
  }
})
