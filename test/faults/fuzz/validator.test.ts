import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BodyFormat } from '../../../src/domain/incident.ts'
import { payloadsOf } from '../../../src/http/body/documents.ts'
import { groupedAlert, payloadOf } from '../../harness/load/payload.ts'
import { randomFrom } from '../../harness/random.ts'
import { agreedTexts } from '../../validate/agreement.ts'
import { numberFrom, SEED, shareOf } from '../campaign.ts'

/** Least number of bodies to try: 10,000,000 take about eight minutes. */
const BODIES = numberFrom('FAULTS_BODIES', 1)

const alert = groupedAlert()
const deep = (levels: number) => `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`
const SEEDS = [
  JSON.stringify(payloadOf(300)),
  JSON.stringify(alert),
  JSON.stringify(alert, null, 2),
  JSON.stringify([payloadOf(120), payloadOf(130)], null, '\t'),
  '{"a":1,"b":[true,false,null],"c":{"d":"e"}}',
  '{"n":[0,-1,1.5,-0.25e10,1E+5,3e-7,12345678901234567890]}',
  '{"text":"a \\"quoted\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00e9\\uD83D\\uDE00\\ud800 end"}',
  '{"é":"Größe","磁盘":"按照过去六小时的速度","😀":"🚒🔥","\u007f":"\u0080\u07ff\u0800\uffff\u{10000}\u{10ffff}"}',
  '[{"a":1},{"b":"]},{"},{"c":[[],{},[{}]]}]',
  ' [ { } , {"a" : "x"} ,\n{"b":\t2}\r\n] ',
  '\ufeff{"a":"mark"}',
  deep(62),
  deep(64),
  `[${deep(64)},{}]`,
  '{"a":1}\n{"b":2}\r\n\n  \n{"c":"ü"} \n',
  `${JSON.stringify(payloadOf(150))}\n${JSON.stringify(payloadOf(160))}\r\n`,
  '\ufeff\u00a0\u3000\n{"a":1}\n\u2028\v\f\r\n{"b":[{}]}',
  `{"log":"${'x'.repeat(90)}\\n${'é'.repeat(20)}${'y'.repeat(31)}"}`,
].map((text) => Buffer.from(text))
const BYTES = [
  ...Buffer.from('{}[]",:\\/ \t\n\r\v\f\0\u001f019.-+eEtrufalsn'),
  0x7f,
  0x80,
  0xbf,
  0xc2,
  0xe2,
  0xed,
  0xf0,
  0xf4,
  0xff,
]
const PIECES = [
  ...[
    '{}',
    '[]',
    '{"a":1}',
    '"x"',
    ',"k":1',
    '[{},{}]',
    '\\u0041',
    '\\ud800',
    '\\"',
    '\\\\',
    '1e5',
    '-0.5',
    'true',
    'null',
    '\r\n',
  ],
  ...[
    'é',
    '€',
    '😀',
    '\ufeff',
    '\u00a0',
    '\u2028',
    '\u3000',
    '  ',
    '\n{}\n',
    '['.repeat(20),
    ']'.repeat(20),
    '{"a":'.repeat(3),
  ],
].map((text) => Buffer.from(text))

const uniform = randomFrom(SEED)
/** Returns a whole number from 0 to below `limit`. */
const random = (limit: number) => Math.floor(uniform() * limit)
const oneOf = <T>(list: readonly T[]) => list[random(list.length)] as T

/** Changes the body in one of several ways. */
function mutated(body: Buffer): Buffer {
  const at = random(body.length + 1)
  const to = Math.min(body.length, at + 1 + random(random(4) === 0 ? 40 : 4))
  const replaced = (middle: Uint8Array, rest = to) => Buffer.concat([body.subarray(0, at), middle, body.subarray(rest)])
  switch (random(8)) {
    case 0:
      return replaced(Buffer.from([random(256)]), at + 1)
    case 1:
      return replaced(Buffer.from([oneOf(BYTES)]), at + 1)
    case 2:
      return replaced(Buffer.from([oneOf(BYTES)]), at)
    case 3:
      return replaced(oneOf(PIECES), at)
    case 4:
      return replaced(oneOf(PIECES))
    case 5:
      return replaced(Buffer.alloc(0))
    case 6:
      return replaced(body.subarray(at, to), at)
    default:
      return Buffer.concat([body.subarray(0, at), tailOf(oneOf(SEEDS))])
  }
}
const tailOf = (body: Buffer) => body.subarray(random(body.length))

function acceptedBySlowPath(body: Buffer, format: BodyFormat): boolean {
  try {
    payloadsOf(body, format)
    return true
  } catch {
    return false
  }
}

test('any body is accepted or refused as it is by parsing', (t) => {
  const end = performance.now() + shareOf(0.02)
  const counts = { accepted: 0, refused: 0 }
  for (let tried = 0; tried < BODIES || performance.now() < end; tried++) {
    let body: Buffer = oneOf(SEEDS)
    for (let changes = random(3); changes >= 0; changes--) body = mutated(body)
    const format = random(3) === 0 ? 'ndjson' : 'json'
    const isAccepted = agreedTexts(body, format) !== undefined
    assert.equal(acceptedBySlowPath(body, format), isAccepted, `${format} ${JSON.stringify(body.toString('latin1'))}`)
    counts[isAccepted ? 'accepted' : 'refused']++
  }
  t.diagnostic(`${counts.accepted} accepted and ${counts.refused} refused with FAULTS_SEED=${SEED}`)
  assert.ok(counts.accepted > 0 && counts.refused > 0)
})
