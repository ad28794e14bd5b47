import assert from 'node:assert/strict'
import test from 'node:test'
import { DoorCounts } from '../../../../actors/main/doors/counts.ts'
import {
  authenticate,
  type Door,
  type DoorDeps,
  DoorError,
  jsonAnswer,
  publicRoutesOf,
} from '../../../../actors/main/doors/door.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import { LoginThrottle } from '../../../../src/http/auth.ts'

const REQUEST = { params: {}, query: '', headers: {}, body: Buffer.alloc(0), address: '127.0.0.1', network: '7f000001' }

function setup(answer: () => Promise<never>) {
  let now = 1_000_000
  const state = { open: true }
  const counts = new DoorCounts(() => now)
  const errors: object[] = []
  const door: Door = {
    name: 'try',
    isOpen: () => state.open,
    refuse: ({ code, status, message, headers }) => jsonAnswer(status, { code, message }, headers),
    routes: [{ method: 'POST', path: '/try', answer }],
  }
  const log = { error: (fields: object) => errors.push(fields), warn() {} }
  const deps = { counts, log, settings: () => ({}) } as unknown as DoorDeps
  const [route = assert.fail()] = publicRoutesOf(door, deps)
  const status = () => counts.status(() => state.open)[0] ?? assert.fail()
  const pass = (ms: number) => {
    now += ms
  }
  return { route, state, status, errors, pass }
}

test('a refusal is answered in the shape of the door, with the headers of its status', async () => {
  const cases = [
    [new CodedError('ingest_full'), 503, { 'Retry-After': '1' }],
    [new DoorError('ingest_full', 'full', { retrySeconds: 7 }), 503, { 'Retry-After': '7' }],
    [new DoorError('unauthorized'), 401, { 'WWW-Authenticate': 'Bearer' }],
    [new DoorError('bad_parameter', 'no message', { status: 422 }), 422, {}],
    [new Error('a secret'), 500, {}],
  ] as const
  for (const [error, status, headers] of cases) {
    const { route, errors } = setup(() => Promise.reject(error))
    const answer = await route.answer(REQUEST)
    assert.equal(answer.status, status)
    const { 'Content-Type': _, 'Cache-Control': __, ...own } = answer.headers
    assert.deepEqual(own, headers)
    assert.equal(errors.length, status === 500 ? 1 : 0)
    assert.equal(String(answer.body).includes('a secret'), false)
  }
})

test('a door that is off answers like an unknown path, and is not counted', async () => {
  const { route, state, status, pass } = setup(() => Promise.reject(new CodedError('ingest_full')))
  await route.answer(REQUEST)
  await route.answer(REQUEST)
  assert.deepEqual(status(), {
    name: 'try',
    open: true,
    last_minute: 2,
    last_at: '1970-01-01T00:16:40.000Z',
    codes: { 503: 2 },
    ignored: {},
  })
  state.open = false
  await assert.rejects(route.answer(REQUEST), { code: 'not_found' })
  pass(61_000)
  assert.deepEqual([status().last_minute, status().codes], [0, { 503: 2 }])
})

test('after twenty wrong keys in a minute a network is refused, whatever it shows', () => {
  let now = 0
  const warnings: object[] = []
  const deps = {
    throttle: new LoginThrottle(() => now),
    log: { warn: (fields: object) => warnings.push(fields) } as unknown as DoorDeps['log'],
  }
  const { network, address } = REQUEST
  const tried = (found: string | undefined) => authenticate(deps, { network, address }, () => found)
  assert.equal(tried('kuma'), 'kuma')
  for (let at = 0; at < 20; at++) assert.throws(() => tried(undefined), { code: 'unauthorized' })
  assert.deepEqual(warnings, [{ address }])
  assert.throws(() => tried('kuma'), { code: 'too_many_attempts', options: { retrySeconds: 60 } })
  now = 61_000
  assert.equal(tried('kuma'), 'kuma')
})
