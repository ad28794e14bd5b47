import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ErrorCode } from '../../src/domain/errors.ts'
import { answering, errorOf, heldSubmit, ID, serve, TARGETS } from './harness.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const ZIPPED = { ...JSON_TYPE, 'Content-Encoding': 'gzip' }

test('an object is answered 201 with its id', async (t) => {
  const { post, intakes } = await serve(t)
  const answer = await post('{"a":1.0}')
  assert.equal(answer.status, 201)
  assert.equal(answer.text, '{"status":"Incident created"}')
  assert.equal(answer.headers['x-incident-id'], ID)
  assert.equal(answer.headers['content-type'], 'application/json')
  const [{ receivedAt = 0, ...intake } = {}] = intakes
  const absent = { key: undefined, overrides: undefined, origin: undefined }
  assert.deepEqual(intake, { texts: ['{"a":1.0}'], format: 'json', source: 'webhook', ...absent })
  assert.ok(Math.abs(receivedAt - Date.now()) < 60_000)
})

test('a list is answered 201 with its count, also when it is a list of one', async (t) => {
  const { post, intakes } = await serve(t)
  const lines = { 'Content-Type': 'application/x-ndjson' }
  assert.equal((await post('[{},{}]')).text, '{"status":"Incidents created","count":2}')
  assert.equal((await post('[{}]')).text, '{"status":"Incidents created","count":1}')
  const answer = await post('{}\n{}\n{}\n', lines)
  assert.deepEqual(
    [answer.status, answer.text, answer.headers['x-incident-id']],
    [201, '{"status":"Incidents created","count":3}', ID],
  )
  assert.deepEqual(
    intakes.map(({ texts }) => texts.length),
    [2, 1, 3],
  )
})

test('a repeated key is answered 200 with the first id', async (t) => {
  const seen = new Map<string, string>()
  const { post } = await serve(t, {
    submit: answering(({ key = '' }) => {
      const first = seen.get(key)
      seen.set(key, first ?? ID)
      return first === undefined ? { kind: 'created', id: ID } : { kind: 'duplicate', id: first }
    }),
  })
  const twins = await Promise.all([1, 2].map(() => post('{}', { ...JSON_TYPE, 'Idempotency-Key': '"k-1"' })))
  assert.deepEqual(twins.map(({ status }) => status).sort(), [200, 201])
  assert.deepEqual([...seen.keys()], ['"k-1"'])
  const again = twins.find(({ status }) => status === 200)
  assert.equal(again?.text, '{"status":"Incident already created"}')
  assert.equal(again?.headers['x-incident-id'], ID)
})

test('a key that is too long or not visible ASCII is refused', async (t) => {
  const { post, intakes } = await serve(t)
  for (const key of ['k'.repeat(256), 'two words', 'k\u00e9k']) {
    const answer = await post('{}', { ...JSON_TYPE, 'Idempotency-Key': key })
    assert.equal(answer.status, 400)
    assert.match(errorOf(answer), /Idempotency-Key/)
  }
  assert.equal((await post('{}', { ...JSON_TYPE, 'Idempotency-Key': 'k'.repeat(255) })).status, 201)
  assert.equal(intakes.length, 1)
})

test('a bad body is answered 400 and stores nothing', async (t) => {
  const { post, intakes } = await serve(t)
  for (const [body, message] of [
    ['', /empty/],
    ['{"a":}', /line 1, column 6/],
    ['7', /object/],
    ['[]', /no incident/],
    ['[{},3]', /\[1\]/],
    ['{"a":'.repeat(70), /64/],
    [Buffer.from([0xff]), /UTF-8/],
  ] as const) {
    const answer = await post(body)
    assert.equal(answer.status, 400)
    assert.match(errorOf(answer), message)
  }
  assert.equal(intakes.length, 0)
})

test('other content types are answered 415, none at all is JSON', async (t) => {
  const { post } = await serve(t)
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])
    assert.equal((await post('{}', { 'Content-Type': type })).status, 415)
  assert.equal((await post('{}', {})).status, 201)
})

test('gzip is accepted up to a limit of the unpacked size', async (t) => {
  const { post, intakes } = await serve(t, { maxBodyBytes: 10_000 })
  assert.equal((await post(gzipSync('{"a":1}'), ZIPPED)).status, 201)
  assert.deepEqual(intakes[0]?.texts, ['{"a":1}'])
  assert.equal((await post(gzipSync(`{"a":"${'x'.repeat(10_000)}"}`), ZIPPED)).status, 413)
  assert.equal((await post('{"a":1}', ZIPPED)).status, 400)
  assert.equal((await post(gzipSync('{"a":1}').subarray(0, 12), ZIPPED)).status, 400)
  const other = await post('{}', { ...JSON_TYPE, 'Content-Encoding': 'br' })
  assert.deepEqual([other.status, other.headers['accept-encoding']], [415, 'gzip'])
  assert.equal((await post('{}', { ...JSON_TYPE, 'Content-Encoding': 'identity' })).status, 201)
})

test('a gzipped body reserves what it unpacks to: hundreds of small ones are read at once', async (t) => {
  const held = heldSubmit()
  const { post, front } = await serve(t, { submit: held.submit })
  const posts = Array.from({ length: 400 }, (_, n) => post(gzipSync(`{"n":${n}}`), ZIPPED))
  await held.waitFor(posts.length)
  for (const answer of held.answers) answer({ kind: 'created', id: ID })
  for (const { status } of await Promise.all(posts)) assert.equal(status, 201)
  assert.equal(front.inflight(), 0)
})

test('gzipped bodies that grow together beyond the bound are refused, and a reload moves the bound', async (t) => {
  const held = heldSubmit()
  const { post, front } = await serve(t, { submit: held.submit, maxBodyBytes: 10_000 })
  const reload = (maxBodyBytes: number) =>
    front.reload({ maxBodyBytes, intakeToken: '', gatewaySecret: '', parameters: { targets: {}, strict: false } })
  const body = gzipSync(Buffer.alloc(19 << 20))
  /** Posts five of 19 MiB. Returns how many are taken, after answering those. */
  const taken = async () => {
    const posts = Array.from({ length: 5 }, () => post(body, ZIPPED))
    let refused = 0
    for (const each of posts) void each.then(({ status }) => (refused += status === 503 ? 1 : 0))
    while (held.answers.length + refused < posts.length) await new Promise(setImmediate)
    for (const answer of held.answers.splice(0)) answer({ kind: 'created', id: ID })
    const statuses = (await Promise.all(posts)).map(({ status }) => status)
    return statuses.filter((status) => status === 201).length
  }
  reload(20 << 20)
  assert.equal(await taken(), 4)
  assert.equal(await taken(), 4)
  reload(200 << 20)
  assert.equal(await taken(), 5)
  reload(1 << 20)
  assert.equal((await post(body, ZIPPED)).status, 413)
  assert.equal(front.inflight(), 0)
})

test('a body that unpacks to too much is refused before its rest is unpacked', async (t) => {
  const { post } = await serve(t, { maxBodyBytes: 100_000 })
  const bomb = gzipSync(Buffer.alloc(50 << 20))
  assert.equal((await post(bomb.fill(0, bomb.length / 2), ZIPPED)).status, 413)
})

test('a configured intake token is required', async (t) => {
  const { post, intakes } = await serve(t, { intakeToken: 'let me in' })
  for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic let', 'let me in']) {
    const answer = await post('{}', { ...JSON_TYPE, ...(authorization ? { Authorization: authorization } : {}) })
    assert.deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Bearer'])
  }
  assert.equal(intakes.length, 0)
})

test('the right token is accepted, and a reload changes it', async (t) => {
  const { front, post } = await serve(t, { intakeToken: 'old-token' })
  const withToken = (token: string) => post('{}', { ...JSON_TYPE, Authorization: `bearer ${token}` })
  assert.equal((await withToken('old-token')).status, 201)
  front.reload({
    maxBodyBytes: 100,
    intakeToken: 'new-token',
    gatewaySecret: '',
    parameters: { targets: {}, strict: false },
  })
  assert.equal((await withToken('old-token')).status, 401)
  assert.equal((await withToken('new-token')).status, 201)
})

test('a request for which there is no room is answered 503 with Retry-After', async (t) => {
  const { post, front } = await serve(t, { submit: () => 'ingest_full' })
  const answer = await post('{}')
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
  assert.match(errorOf(answer), /waiting/)
  assert.equal(front.inflight(), 0)
})

test('a refusal is answered with the status of its code', async (t) => {
  let code: ErrorCode = 'internal'
  const { post } = await serve(t, {
    submit: answering(() => ({ kind: 'refused', code })),
  })
  for (const [next, status] of [
    ['backlog_full', 503],
    ['storage_full', 503],
    ['storage_down', 503],
    ['internal', 500],
  ] as const) {
    code = next
    const answer = await post('{}')
    assert.equal(answer.status, status)
    assert.equal(answer.headers['retry-after'] !== undefined, status === 503)
  }
})

test('a submit that throws is answered 500 and logged', async (t) => {
  const { post, errors } = await serve(t, {
    submit: () => {
      throw new Error('private detail')
    },
  })
  const answer = await post('{}')
  assert.equal(answer.status, 500)
  assert.doesNotMatch(answer.text, /private/)
  assert.equal(errors.length, 1)
})

test('with debug_body each payload is shown as one line', async (t) => {
  const shown: string[] = []
  const { post } = await serve(t, { onPayload: (text) => shown.push(text) })
  await post('[{"a":\n"x\\u001b[2J"},\n{"b":2}]')
  assert.deepEqual(shown, ['{"a":"x\\u001b[2J"}', '{"b":2}'])
})

test('a body that is refused and can be parsed is a bug, which is logged', async (t) => {
  const { post, errors } = await serve(t, { submit: () => 'invalid' })
  assert.equal((await post('{"a":1}')).status, 500)
  assert.equal(errors.length, 1)
})

test('with debug_body a bad body is shown to nobody', async (t) => {
  const shown: string[] = []
  const { post } = await serve(t, { onPayload: (text) => shown.push(text) })
  assert.match(errorOf(await post('[{"a":1},{"b":]')), /column 15/)
  assert.deepEqual(shown, [])
})

test('an answer that comes before submit returns is sent', async (t) => {
  const { post } = await serve(t, {
    submit: (intake) => {
      intake.answer({ kind: 'created', id: ID })
      return 'taken'
    },
  })
  assert.equal((await post('{}')).status, 201)
})

test('requests wait for their own answers in any order', async (t) => {
  const held = heldSubmit()
  const { post, front } = await serve(t, { submit: held.submit })
  const first = post('{}')
  await held.waitFor(1)
  const second = post('[{}]')
  await held.waitFor(2)
  assert.equal(front.inflight(), 2)
  held.answers[1]?.({ kind: 'created', id: 'two' })
  assert.equal((await second).headers['x-incident-id'], 'two')
  held.answers[0]?.({ kind: 'created', id: 'one' })
  assert.equal((await first).headers['x-incident-id'], 'one')
  assert.equal(front.inflight(), 0)
})

test('every refusal is reported with its code, wherever it happens', async (t) => {
  const codes: string[] = []
  const front = await serve(t, {
    maxBodyBytes: 1_024,
    parameters: { targets: TARGETS, strict: true },
    refused: (code) => codes.push(code),
    submit: (intake, body) => {
      if (body.length < 6) return 'invalid'
      setImmediate(() => intake.answer({ kind: 'refused', code: 'backlog_full' }))
      return 'taken'
    },
  })
  await front.post('{"a":1}')
  await front.post('{"a":')
  await front.post('{}', { 'Content-Type': 'text/csv' })
  await front.post(JSON.stringify({ a: 'x'.repeat(2_000) }))
  await front.ask('/api/incidents?officechat_other_flow_url=unknown', { method: 'POST', body: '{}' })
  await front.ask('/nowhere')
  front.front.refuseNew()
  await front.post('{"a":1}')
  assert.deepEqual(codes, [
    ...['backlog_full', 'body_not_json', 'unsupported_type', 'body_too_large', 'bad_parameter', 'shutting_down'],
  ])
})
