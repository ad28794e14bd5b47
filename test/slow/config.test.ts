// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in configuration texts look like this
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { ConfigError } from '../../src/config/config-error.ts'
import { loadConfig } from '../../src/config/load.ts'
import { SCHEMA } from '../../src/config/schema.ts'
import { type SchemaNode, walkSchema } from '../../src/config/schema-walk.ts'
import { redacted, secretValues } from '../../src/config/secrets.ts'

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

const KEYS = [...new Set(keys(walkSchema(SCHEMA)))]
function* keys(node: SchemaNode): Generator<string> {
  for (const [key, inner] of node.keys) {
    yield key
    yield* keys(inner)
  }
  if (node.values !== undefined) yield* keys(node.values)
}
const key = fc.oneof(fc.constantFrom(...KEYS, '__proto__', 'constructor', '<<'), fc.string({ maxLength: 8 }))
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    true,
    false,
    null,
    0,
    -1,
    1e300,
    3000,
    '',
    'auto',
    '30s',
    'detect',
    'http://a?b=c',
    '${A}',
    '${A:-${B',
    '${file:/x}',
    '(',
    '$${',
  ),
  fc.string({ maxLength: 12, unit: 'binary' }),
)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('tree')), { maxLength: 6 }).map((pairs) => new Map(pairs)),
  ),
}))

describe('no text makes the loader fail except with a ConfigError', () => {
  it('any characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (text) => survives(text)),
      { numRuns: 300 },
    )
  })
  it('any pieces of YAML', () => {
    const pieces = [
      'alert:',
      '\n',
      '  ',
      '- ',
      '&a ',
      '*a',
      '<<: ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '|',
      '>',
      '? ',
      ': ',
      '!!',
      '#',
      '---\n',
      '%YAML',
      'port',
      '${',
      '\t',
      ',',
    ]
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (yaml) => survives(yaml)),
      { numRuns: 600 },
    )
  })
  it('any values of known keys, from file or environment', () => {
    const value = fc.string({ maxLength: 10, unit: 'binary' })
    fc.assert(
      fc.property(fc.array(fc.tuple(key, tree), { maxLength: 6 }), value, (pairs, set) => {
        survives(stringify(new Map(pairs)), { A: set, PORT: set, CHATWS_ENABLE: set, OFFICECHAT_OTHER_FLOW_URL_X: set })
      }),
      { numRuns: 300 },
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
