import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '../../src/config/config-error.ts'
import { load } from '../config/setup.ts'

const SECRET = 'hunter2-planted'
/** Secrets as they are mistyped: without the quotes they need, or in a shape that a secret cannot have. */
const MISTYPED: readonly string[] = [
  ...['!', '!!', '*', '&', '@', '%', '`', '|', '>', '"', "'", '- ', '? ', '"a" ', '<<: *'].map(
    (start) => start + SECRET,
  ),
  ...[`[${SECRET}`, `{${SECRET}`, `[${SECRET}]`, `{${SECRET}: 1}`, `{a: ${SECRET}}`, `a: ${SECRET}`, `"\\q${SECRET}"`],
  ...[
    `"\${${SECRET}"`,
    `"\${A:-${SECRET}"`,
    `"${SECRET}\u00e9"`,
    `"é ${SECRET}"`,
    `ftp://u:${SECRET}@h`,
    `u:${SECRET}@h`,
  ],
]
const PLACES: readonly ((value: string) => string)[] = [
  (value) => `gateway_secret: ${value}\n`,
  (value) => `alert:\n  chatws:\n    enable: true\n    token: ${value}\n`,
  (value) => `alert:\n  officechat:\n    enable: true\n    flow_url: ${value}\n`,
  (value) => `oncall:\n  webhook:\n    url: ${value}\n`,
  (value) => `agent:\n  ai:\n    api_key: ${value}\n`,
  (value) => `alert:\n  chatws:\n    tokn: ${value}\n`,
]
/** Addresses with a secret in them, for keys that are no secrets themselves. */
const IN_ADDRESSES = [`https://u:${SECRET}@h:x`, `ftp://u:${SECRET}@h`, `u:${SECRET}@h`]

function messagesOf(yaml: string): string {
  try {
    return load(yaml).warnings.join('\n')
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.message
  }
}

test('no error and no warning quotes a secret, however it is mistyped', () => {
  let complaints = 0
  for (const place of PLACES)
    for (const value of MISTYPED) {
      const text = messagesOf(place(value))
      assert.ok(!text.includes(SECRET), `${place(value)}: ${text}`)
      if (text !== '') complaints++
    }
  for (const address of IN_ADDRESSES)
    for (const key of ['public_host', 'alert: {chatws: {api_url'])
      assert.ok(
        !messagesOf(`${key}: "${address}"${key.includes('{') ? '}}' : ''}`).includes(SECRET),
        `${key}: ${address}`,
      )
  assert.ok(complaints > PLACES.length * MISTYPED.length * 0.5, `${complaints} complaints`)
})
