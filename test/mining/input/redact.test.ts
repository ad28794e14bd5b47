import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createRedact } from '../../../src/mining/input/redactions.ts'

const redact = createRedact({ enable: true, redactIps: false, extraPatterns: [] })

/**
 * Invented secrets in the formats of their issuers; concatenated here so that secret scanners do not report this file.
 */
const SECRETS: readonly (readonly [line: (secret: string) => string, secret: string])[] = [
  [(s) => `login failed password=${s} for user 7`, 'hunter2'],
  [(s) => `{"user":"kim","password":"${s}","n":1}`, 'p@ss, w0rd; &c'],
  [(s) => `payload {\\"password\\":\\"${s}\\",\\"n\\":1}`, 'qwertz77'],
  [(s) => `payload {\\"user_password\\": \\"${s}\\"}`, 'has blanks, too'],
  [(s) => `DB_PASSWORD: '${s}'`, 'correct-horse'],
  [(s) => `spring.datasource.passwd = ${s}`, 'zzTop1'],
  [(s) => `started with --password ${s} --verbose`, 'abcabc'],
  [(s) => `connecting to postgres://app:${s}@db.internal:5432/ledger`, 'Xy12zz'],
  [(s) => `GET /v1/things?api_key=${s}&page=2`, '0123abcd'],
  [(s) => `GET https://cdn.example/x?sig=${s}&v=2`, 'AbC%2FdEf'],
  [(s) => `authorization: Bearer ${s}`, 'short'],
  [(s) => `sent header Authorization: Basic ${s}`, 'dXNlcjpwYXNz'],
  [(s) => `upstream said: bearer ${s} is expired`, 'a1b2c3d4e5f6'],
  [(s) => `token ${s} refused`, ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxIn0', 'c2lnbmF0dXJl'].join('.')],
  [(s) => `csrf_token=${s};`, '9f8e7d6c5b4a'],
  [(s) => `Set-Cookie: session_id=${s}; Path=/`, 'abcdef0123456789'],
  [(s) => `aws key ${s} used from elsewhere`, `AKIA${'QWERTYUIOPASDFGH'}`],
  [(s) => `aws_secret_access_key=${s}`, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  [(s) => `clone with ${s} failed`, `ghp_${'a1B2'.repeat(9)}`],
  [(s) => `posting with ${s}`, `xoxb-${'1234567890'}-abcdefghij`],
  [(s) => `stripe ${s} error`, `sk_live_${'4eC39HqLyjWDarjt'}`],
  [(s) => `openai error, key ${s}`, `sk-${'proj-abcdefghij0123456789'}`],
  [(s) => `maps ${s} quota`, `AIza${'SyA-1234567890abcdefghijklmnopqrstu'}`],
  [(s) => `chat 77 ${s} unauthorized`, `123456789:${'AAEhBP0av28xxxxxxxxxxxxxxxxxxxxxxxx'}`.slice(0, 45)],
  [(s) => `POST https://hooks.slack.com/${s} 404`, 'services/T000/B000/XXXX'],
  [(s) => `mail to ${s} bounced`, 'jane.doe+alerts@mail.example.org'],
  [(s) => `key: -----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`, 'MIIEow\nIBAAKC'],
  [(s) => `half a key ${s}`, 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'],
]

describe('redaction', () => {
  for (const [line, secret] of SECRETS) {
    test(`masks the secret of: ${line('...').split('\n')[0]}`, () => {
      const clean = redact(line(secret))
      assert.ok(!clean.includes(secret), clean)
      assert.match(clean, /<REDACTED:[a-z-]+>/)
    })
  }

  test('does not change lines without secrets', () => {
    for (const line of [
      '2026-01-02T03:04:05Z ERROR replica ledger-7 lags 31 seconds behind its primary',
      'Basic authentication failed for realm internal',
      'bearer authentication is required',
      'Unexpected token: end of input at line 3',
      'commit 3f786850e387550fdab836ed7e6dc881de23001b by build 12',
      'request 5e7c1c5e-4d8a-4b0e-9a7b-0a6a1f3ad6b2 took 31 ms',
      'com.example.payments.gateway.HttpConnectionPoolTimeoutException: read timed out',
      'token_count=512 max_tokens=1024 passed=7 compass=north',
      'opening /var/lib/Service42/Data2024/Segments/00000000000000012345.log',
      'fetching https://example.org/a/b?page=2',
      'connected to 10.1.2.3:5432',
    ])
      assert.equal(redact(line), line)
  })

  test('masks IP addresses when configured, and never clock times', () => {
    const masks = createRedact({ enable: true, redactIps: true, extraPatterns: [] })
    assert.equal(
      masks('from 10.1.2.3:80 to fe80::1ff:fe23:4567:890a at 12:30:45'),
      'from <REDACTED:ip>:80 to <REDACTED:ip> at 12:30:45',
    )
  })

  test('masks matches of extra patterns, and nothing when disabled', () => {
    const extra = createRedact({ enable: true, redactIps: false, extraPatterns: ['cust-[0-9]+'] })
    assert.equal(extra('order of cust-4711 and cust-4712'), 'order of <REDACTED:custom> and <REDACTED:custom>')
    const off = createRedact({ enable: false, redactIps: true, extraPatterns: ['.*'] })
    assert.equal(off('password=hunter2'), 'password=hunter2')
  })

  test('takes time linear in the length of the text', () => {
    const hostile = [
      'password="',
      'eyJ-',
      'sk-',
      '-----BEGIN RSA PRIVATE KEY-----',
      'a.b@',
      'Bearer ',
      '://',
      '1.1.1.',
      'token=',
      '::',
      '\\\\"',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...hostile, 'x', ' '), { maxLength: 5 }), (pieces) => {
        const text = pieces.join('').repeat(4_000).slice(0, 16_384)
        assert.equal(typeof redact(text), 'string')
      }),
      { numRuns: 60 },
    )
  })
})
