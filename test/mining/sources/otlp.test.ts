import assert from 'node:assert/strict'
import { test } from 'node:test'
import { otlpReader } from '../../../src/mining/sources/otlp.ts'
import { MAX_MESSAGES } from '../../../src/mining/sources/otlp-wire.ts'
import { encodeLogs as encode } from '../../harness/otlp.ts'

const REQUEST = {
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'ledger' } }] },
      scopeLogs: [
        {
          scope: { name: 'app' },
          logRecords: [
            { timeUnixNano: '1', severityNumber: 17, body: { stringValue: 'payment 12 failed' } },
            {
              severityText: 'warn',
              severityNumber: 13,
              body: { kvlistValue: { values: [{ key: 'n', value: { intValue: '9007199254740993' } }] } },
              attributes: [
                { key: 'exception.type', value: { stringValue: 'TimeoutError' } },
                { key: 'exception.message', value: { stringValue: 'no answer' } },
                { key: 'region', value: { arrayValue: { values: [{ stringValue: 'eu' }, { boolValue: true }] } } },
              ],
            },
            { severityNumber: 9, eventName: 'session.started' },
            { severityNumber: 5 },
          ],
        },
      ],
    },
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'unknown_service:node' } }] },
      scopeLogs: [{ logRecords: [{ body: { doubleValue: 1.5 } }] }],
    },
  ],
}

const READ = {
  events: [
    { service: 'ledger', text: 'ERROR payment 12 failed' },
    {
      service: 'ledger',
      text: 'WARN {"n":"9007199254740993"} exception.type=TimeoutError exception.message=no answer region=["eu",true]',
    },
    { service: 'ledger', text: 'INFO session.started' },
    { text: '1.5' },
  ],
  rejected: 1,
}

test('the same records are read from protobuf and from JSON, with level, text, attributes and service', () => {
  const read = otlpReader({ extraFields: ['region'] })
  assert.deepEqual(read(encode(REQUEST), 'application/x-protobuf'), READ)
  assert.deepEqual(read(Buffer.from(JSON.stringify(REQUEST)), 'application/json; charset=utf-8'), READ)
})

test('a body that is none is refused with what is wrong', () => {
  const read = otlpReader({ extraFields: [] })
  const deep = Array.from({ length: 40 }).reduce<object>((value) => ({ arrayValue: { values: [value] } }), {
    stringValue: 'x',
  })
  const withBody = (body: unknown) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body }] }] }] })
  const bad: readonly (readonly [Buffer, string, RegExp])[] = [
    [Buffer.from('{'), 'application/json', /not valid JSON/],
    [Buffer.from('[]'), 'application/json', /no JSON object/],
    [Buffer.from('{"resourceLogs":{}}'), 'application/json', /resourceLogs is no list/],
    [Buffer.from(JSON.stringify(withBody({ stringValue: 1 }))), 'application/json', /stringValue has another type/],
    [Buffer.from(JSON.stringify(withBody(deep))), 'application/json', /nested deeper than 32/],
    [encode(withBody(deep)), 'application/x-protobuf', /nested deeper than 32/],
    [encode(REQUEST).subarray(0, -3), 'application/x-protobuf', /cut off/],
    [Buffer.from([0x08, 0x01]), 'application/x-protobuf', /wire type 0, not 2/],
    [Buffer.from([0x0a, 0xff]), 'application/x-protobuf', /cut off/],
    [Buffer.alloc(11, 0xff), 'application/x-protobuf', /longer than ten bytes/],
    [Buffer.from([0x00]), 'application/x-protobuf', /number 0/],
    [Buffer.from([0x1b]), 'application/x-protobuf', /wire type 3/],
  ]
  for (const [body, type, message] of bad) assert.throws(() => read(body, type), { code: 'bad_parameter', message })
})

test('a resource that follows its records, and fields that are not known, are read', () => {
  const [ledger] = REQUEST.resourceLogs
  const { resource, scopeLogs } = ledger ?? {}
  const records = encode({ resourceLogs: [{ scopeLogs }] })
  const reversed = Buffer.concat([bodyOf(records), bodyOf(encode({ resourceLogs: [{ resource }] }))])
  const whole = Buffer.concat([Buffer.from([0x0a]), lengthOf(reversed), reversed])
  const read = otlpReader({ extraFields: ['region'] })
  assert.deepEqual(read(whole, 'application/x-protobuf').events, READ.events.slice(0, 3))
  const record = { body: { profileValue: 1, stringValue: null, intValue: '7' }, colour: 'red' }
  assert.deepEqual(
    read(
      Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] })),
      'application/json',
    ),
    {
      events: [{ text: '7' }],
      rejected: 0,
    },
  )
})

/** Removes tag and length of a message that is longer than 127 bytes, or shorter. */
const bodyOf = (message: Buffer) => message.subarray((message[1] ?? 0) < 0x80 ? 2 : 3)
const lengthOf = ({ length }: Buffer) => Buffer.from(length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7])

test('a small packed body that would become millions of objects is refused as too large', () => {
  const read = otlpReader({ extraFields: [] })
  const many = Buffer.alloc(2 * (MAX_MESSAGES + 1), Buffer.from([0x0a, 0x00]))
  const json = Buffer.from(`{"resourceLogs":[${'{},'.repeat(MAX_MESSAGES)}{}]}`)
  assert.throws(() => read(many, 'application/x-protobuf'), { code: 'body_too_large' })
  assert.throws(() => read(json, 'application/json'), { code: 'body_too_large' })
})
