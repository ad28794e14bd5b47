// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in configuration texts look like this
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { ConfigError } from '../../src/config/config-error.ts'
import { loadConfig } from '../../src/config/load.ts'
import { SCHEMA_NODE } from '../../src/config/schema.ts'
import type { SchemaNode } from '../../src/config/schema-walk.ts'
import { redacted, secretValues } from '../../src/config/secrets.ts'
import { tree } from '../faults/fuzz/hostile.ts'

/** Either loads or throws a ConfigError with a line for each issue, and for each warning. */
function survives(text: string, env: { [name: string]: string } = {}): void {
  try {
    const { config } = loadConfig({ file: 'c.yaml', env, readFile: () => text })
    structuredClone(config)
    JSON.stringify(redacted(config))
    secretValues(config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = error.message.split('\n')
    assert.equal(lines.filter((line) => !line.startsWith('warning: ')).length, error.issues.length)
  }
}

const KEYS = [...new Set(keys(SCHEMA_NODE))]
function* keys(node: SchemaNode): Generator<string> {
  for (const [key, inner] of node.keys) {
    yield key
    yield* keys(inner)
  }
  if (node.values !== undefined) yield* keys(node.values)
}
const key = fc.oneof(fc.constantFrom(...KEYS, '<<'), fc.string({ maxLength: 8 }))
const scalar = fc.constantFrom<unknown>(
  3000,
  'auto',
  '30s',
  'detect',
  'http://a?b=c',
  '${A}',
  '${A:-${B',
  '${file:/x}',
  '$${',
)
const pairs = fc.array(fc.tuple(key, fc.oneof(scalar, tree)), { maxLength: 6 })

describe('no text makes the loader fail except with a ConfigError', () => {
  it('any pieces of YAML', () => {
    const marks = [...'\n\t-{}[]"\'|>#,'].map((mark) => fc.constant(mark))
    const words = fc.constantFrom('alert:', '  ', '&a ', '*a', '<<: ', '? ', ': ', '!!', '---\n', '%YAML', 'port', '${')
    const piece = fc.oneof(...marks, { weight: 12, arbitrary: words }, fc.string({ maxLength: 9, unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => survives(pieces.join(''))),
      { numRuns: 400 },
    )
  })
  it('any values of known keys, from file or environment', () => {
    const value = fc.string({ maxLength: 10, unit: 'binary' })
    fc.assert(
      fc.property(pairs, value, (given, set) => {
        survives(stringify(new Map(given)), { A: set, PORT: set, CHATWS_ENABLE: set, OFFICECHAT_OTHER_FLOW_URL_X: set })
      }),
      { numRuns: 150 },
    )
  })
  it('a very long text', () => {
    const keys = Array.from({ length: 100_000 }, (_, n) => `k${n}: 1`).join('\n')
    assert.throws(
      () => loadConfig({ file: 'c.yaml', env: {}, readFile: () => keys }),
      /holds more than 262144 characters/,
    )
    survives(`name: ${'x'.repeat(200_000)}`)
  })
  it('deep nesting, and aliases that grow or form a circle', () => {
    survives('['.repeat(20_000))
    survives('a: '.concat('{a: '.repeat(5_000)))
    survives('alert: &a {chatws: *a, other_flow_urls: *a}')
    survives('alert: {officechat: {other_flow_urls: &a {x: *a}}}')
    survives('agent: {sources: &a [*a]}')
    const bomb = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`)
    survives(`a0: &a0 [x]\n${bomb.join('\n')}\nagent: {sources: *a12}`)
  })
})
