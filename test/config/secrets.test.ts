import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { valueAt } from '../../src/config/config-error.ts'
import { SCHEMA_NODE } from '../../src/config/schema.ts'
import type { SchemaNode } from '../../src/config/schema-walk.ts'
import { redacted, secretValues } from '../../src/config/secrets.ts'
import { load } from './setup.ts'

const FLOW = 'https://flows.example/workflows/0a1b2c3d4e5f6a7b8c/run?api-version=1&sig=main-signature'
const YAML = `gateway_secret: gateway-hush
http: {intake_token: intake-hush}
alert:
  chatws: {token: xoxb-hush, channel_id: C0ACCEPT}
  officechat:
    flow_url: "${FLOW}"
    other_flow_urls: {qc: "http://a/qc?sig=other-signature", ops: "http://a/ops?sig=third-signature"}
    other_flow_formats: {ops: text}
  workchat: {webhook_url: "https://open.example/hook/hook-0123456789ab", secret: lark-hush}
  email: {password: mail-hush, smtp_host: mx}
  msgapp: {api_url: "https://user:proxy-hush@proxy.example/api"}
oncall:
  webhook: {url: "https://pager.example/in?code=pager-signature", secret: page-hush}
  pagerduty: {routing_key: pd-hush, other_routing_keys: {dba: pd-dba-hush}}
  incident_io: {api_key: iio-hush}
  aws_incident_manager: {access_key_id: aws-id-hush, secret_access_key: aws-hush}
  servicenow: {password: now-hush, token: now-token-hush}
topicsvc: {access_key_id: AKIAHUSH, secret_access_key: cloud-hush}
agent:
  ai: {api_key: sk-hush}
  sources:
    - {name: es, type: elasticsearch, elasticsearch: {addresses: ["http://elastic:es-hush@es:9200"], api_key: es-key-hush}}
`

describe('the shown configuration', () => {
  const { config } = load(YAML)
  const shown = redacted(config)

  it('holds no secret', () => {
    assert.doesNotMatch(JSON.stringify(shown), /hush|signature|hook-0123/i)
  })
  it('shows for each secret whether it is set, and all other values', () => {
    const says = (path: string) => valueAt(shown, path.split('.'))
    assert.equal(says('gateway_secret'), 'set')
    assert.equal(says('alert.chatws.token'), 'set')
    assert.equal(says('alert.msgapp.token'), '')
    assert.equal(says('alert.chatws.channel_id'), 'C0ACCEPT')
    assert.equal(says('alert.chatws.enable'), false)
    assert.equal(says('alert.officechat.other_flow_urls.qc'), 'set')
    assert.equal(says('alert.msgapp.api_url'), 'https://***@proxy.example/api')
    assert.equal(says('oncall.pagerduty.other_routing_keys.dba'), 'set')
    assert.equal(says('delivery.backoff.max'), '5m')
  })
})

describe('the secrets of a configuration', () => {
  const secrets = secretValues(load(YAML).config)

  it('are each listed', () => {
    const expected = [
      'gateway',
      'intake',
      'xoxb',
      'lark',
      'mail',
      'page',
      'pd',
      'pd-dba',
      'iio',
      'cloud',
      'sk',
      'proxy',
      'es',
      'es-key',
    ]
    for (const name of expected)
      assert.ok(
        secrets.some((one) => one.endsWith(`${name}-hush`) || one === `${name}-hush`),
        name,
      )
    assert.ok(secrets.includes('AKIAHUSH'))
    assert.ok(!secrets.includes(''))
    assert.ok(!secrets.includes('C0ACCEPT'))
  })
  it('include the secret parts of addresses', () => {
    for (const part of [
      FLOW,
      'main-signature',
      '0a1b2c3d4e5f6a7b8c',
      'other-signature',
      'third-signature',
      'hook-0123456789ab',
      'pager-signature',
    ])
      assert.ok(secrets.includes(part), part)
    assert.ok(!secrets.includes('1'))
  })
})

it('every key that is named like a credential is marked secret', () => {
  // In a rule this is the name of a key.
  const aName = 'routes.oncall.routing_key'
  const unmarked = [...leaves(SCHEMA_NODE, [])].filter(
    ({ path, node }) =>
      /(token|password|secret|_key|flow_url|webhook_url)$/.test(path.at(-1) ?? '') &&
      path.join('.') !== aName &&
      !node.secret,
  )
  assert.deepEqual(unmarked, [])
})
function* leaves(node: SchemaNode, path: string[]): Generator<{ path: string[]; node: SchemaNode }> {
  if (node.kind === 'leaf') yield { path, node }
  if (node.values !== undefined) yield* leaves(node.values, path)
  for (const [key, inner] of node.keys) yield* leaves(inner, [...path, key])
}
