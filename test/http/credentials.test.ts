import assert from 'node:assert/strict'
import test from 'node:test'
import { credentialsOf, KeyRing } from '../../src/http/credentials.ts'

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })

test('a key is read from Bearer, from the password of Basic, and from X-Gateway-Secret', () => {
  assert.deepEqual(credentialsOf({ authorization: 'bearer k-1' }), ['k-1'])
  assert.deepEqual(credentialsOf(basic('any one:pass:word')), ['pass:word'])
  assert.deepEqual(credentialsOf(basic('no-colon')), ['no-colon'])
  assert.deepEqual(credentialsOf({ authorization: 'Basic !', 'x-gateway-secret': 's' }), ['s'])
  for (const headers of [{}, { authorization: '' }, { authorization: 'Digest x' }, basic('user:')])
    assert.deepEqual(credentialsOf(headers), [], JSON.stringify(headers))
})

test('a key ring knows each key by its name, and no part of one', () => {
  const ring = new KeyRing(
    new Map([
      ['kuma', 'kuma-key-0123456789'],
      ['grafana', 'grafana-key-0123456789'],
    ]),
  )
  assert.equal(ring.nameOf('kuma-key-0123456789'), 'kuma')
  assert.equal(ring.nameOf('grafana-key-0123456789'), 'grafana')
  for (const given of ['', 'kuma', 'kuma-key-012345678', 'kuma-key-0123456789 ', 'KUMA-KEY-0123456789'])
    assert.equal(ring.nameOf(given), undefined, given)
})
