import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { parse } from 'yaml'
import type { SystemSettings } from '../../actors/wiring/settings.ts'
import { loadConfig } from '../../src/config/load.ts'
import { SCHEMA_NODE } from '../../src/config/schema.ts'
import type { SchemaNode } from '../../src/config/schema-walk.ts'
import { load } from './setup.ts'

const SHIPPED = new URL('../../config/config.yaml', import.meta.url).pathname

it('the shipped file holds the defaults, in any environment', () => {
  const env = { GATEWAY_SECRET: 'shipped-secret', SMTP_HOST: 'mx', CHATWS_TOKEN: 'xoxb' }
  for (const variables of [{}, env]) {
    const shipped = loadConfig({ file: SHIPPED, env: variables })
    assert.deepEqual(shipped.config, load('', { env: variables }).config)
    assert.deepEqual(shipped.warnings, [])
  }
})

it('the shipped file has every key, except those that all channels have', () => {
  const file: unknown = parse(readFileSync(SHIPPED, 'utf8'))
  const ofEveryChannel =
    /^alert\.\w+\.(agent_template_path|concurrency|mailbox|rate|on_failure|storm|proxy|insecure_skip_verify)/
  const missing = [...keys(SCHEMA_NODE, '')].filter((path) => !ofEveryChannel.test(path) && !has(file, path.split('.')))
  assert.deepEqual(missing, [])
})
function* keys(node: SchemaNode, path: string): Generator<string> {
  for (const [key, inner] of node.keys) {
    const here = path === '' ? key : `${path}.${key}`
    yield here
    yield* keys(inner, here)
  }
}
function has(value: unknown, [key, ...rest]: string[]): boolean {
  if (key === undefined) return true
  return (
    typeof value === 'object' && value !== null && key in value && has((value as { [key: string]: unknown })[key], rest)
  )
}

it('the output of the schema is what the system takes', () => {
  const settings: SystemSettings = load('').config
  assert.equal(settings.port, 3000)
})
