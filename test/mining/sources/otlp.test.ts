import assert from 'node:assert/strict'
import { test } from 'node:test'
import protobuf from 'protobufjs'
import { otlpReader } from '../../../src/mining/sources/otlp.ts'
import { readProtobuf } from '../../../src/mining/sources/otlp-wire.ts'
import { randomFrom } from '../../harness/random.ts'

const PROTO = `syntax = "proto3"; package otlp;
message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeLogs { InstrumentationScope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message InstrumentationScope { string name = 1; string version = 2; }
message LogRecord { fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; AnyValue body = 5;
  repeated KeyValue attributes = 6; fixed32 flags = 8; bytes trace_id = 9; fixed64 observed_time_unix_nano = 11; string event_name = 12; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
  ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }`
const Request = protobuf.parse(PROTO).root.lookupType('otlp.ExportLogsServiceRequest')

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

const encode = (request: object) => Buffer.from(Request.encode(Request.fromObject(request)).finish())

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
    [Buffer.from(JSON.stringify(withBody({ stringValue: 1 }))), 'application/json', /no type that OTLP knows/],
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

/** What another reader of protobuf makes of the bytes; undefined: it refuses them. */
function twin(bytes: Buffer) {
  try {
    return Request.toObject(Request.decode(bytes), { longs: String, bytes: String, arrays: true, oneofs: true })
  } catch {
    return undefined
  }
}

const textsOf = (records: readonly { readonly severityText?: string; readonly eventName?: string }[]) =>
  records.map(({ severityText = '', eventName = '' }) => `${severityText}|${eventName}`)

test('mutated requests are read as another reader of protobuf reads them, or refused', () => {
  const random = randomFrom(20_260_309)
  const whole = encode(REQUEST)
  let both = 0
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(whole)
    for (let change = 0; change <= random() * 3; change++) bytes[Math.floor(random() * bytes.length)] = random() * 256
    const cut = random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes
    let ours: ReturnType<typeof readProtobuf> | undefined
    try {
      ours = readProtobuf(cut)
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'bad_parameter', String(error))
      continue
    }
    const theirs = twin(cut)
    if (theirs === undefined) continue
    both++
    const expected = (theirs.resourceLogs as { scopeLogs: { logRecords: object[] }[] }[]).map(({ scopeLogs }) =>
      textsOf(scopeLogs.flatMap(({ logRecords }) => logRecords)),
    )
    assert.deepEqual(
      ours.map(({ records }) => textsOf(records)),
      expected,
      cut.toString('hex'),
    )
  }
  assert.ok(both > 2_000, `${both} requests were read by both`)
})
