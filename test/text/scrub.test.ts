import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { scrub, secretsOfUrl } from '../../src/text/scrub.ts'

test('a secret is replaced in every encoding', () => {
  const secret = 'p&ss/w"rd+='
  const spelled = [secret, encodeURIComponent(secret), JSON.stringify(secret), 'p&ss\\/w\\"rd+=', 'p&amp;ss/w"rd+=']
  for (const each of spelled) assert.doesNotMatch(scrub(`got ${each} from you`, [secret]), /p%26ss|w.{0,2}rd/)
})

test('a secret within another one leaves no part of the longer one', () => {
  assert.equal(scrub('x token-and-more y', ['token', 'token-and-more']), 'x [redacted] y')
})

test('an empty secret replaces nothing', () => {
  assert.equal(scrub('all of it', ['']), 'all of it')
})

test('the result is one line of at most 300 well-formed characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 900 }), (text) => {
      const said = scrub(text, [])
      assert.ok(said.length <= 300)
      assert.doesNotMatch(said, /[\n\r\0]/)
      if (text.isWellFormed()) assert.ok(said.isWellFormed())
    }),
  )
  assert.equal(scrub(`${'x'.repeat(298)}👍👍`, []), `${'x'.repeat(298)}…`)
})

test('everything of an address but its host is secret', () => {
  const address = 'https://flows.example.test/workflows/0a1b2c3d/invoke?v=1&sig=a%2Fb%2Bc%3Ddefg'
  const secrets = secretsOfUrl(address)
  for (const leak of [
    address,
    'GET /workflows/0a1b2c3d/invoke',
    'sig=a%2Fb%2Bc%3Ddefg',
    'signature a/b+c=defg is wrong',
  ])
    assert.match(scrub(leak, secrets), /\[redacted\]/)
  assert.equal(scrub('flows.example.test said v1', secrets), 'flows.example.test said v1')
  assert.deepEqual(secretsOfUrl(''), [])
})
