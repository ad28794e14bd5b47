import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DoorCounts } from '../../../../actors/main/doors/counts.ts'
import { type Door, type DoorDeps, publicRoutesOf } from '../../../../actors/main/doors/door.ts'
import { opsgenie } from '../../../../actors/main/doors/opsgenie.ts'
import { pagerduty } from '../../../../actors/main/doors/pagerduty.ts'
import type { Payload } from '../../../../src/domain/incident.ts'
import { LoginThrottle } from '../../../../src/http/auth.ts'
import { payloadsOf } from '../../../../src/http/body/documents.ts'
import { recognise } from '../../../../src/intake/recognise.ts'
import { isObject } from '../../../../src/text/json-object.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const KEY = 'a-key-of-the-hostile-one'
const FIRING = { id: 1, state: 'firing', title: 't', service: '', severity: '', lastId: 'i-1' }

/** A door whose store knows a firing problem for each name, of which the last incident has the content. */
function open(doorOf: (deps: DoorDeps) => Door, content: unknown) {
  const submitted: Payload[] = []
  const bugs: object[] = []
  const askStorage = async (query: { kind: string; name?: { fingerprint?: string } }) => {
    if (query.kind === 'incident') return { source: 'opsgenie', created_at: 'then', content }
    if (query.kind === 'noteNamed') return { problem: FIRING, threads: 0 }
    return {
      ...FIRING,
      fingerprint: query.name?.fingerprint ?? recognise(isObject(content) ? content : {}).fingerprint,
    }
  }
  const keys = new Map([['i', KEY]])
  const deps = {
    counts: new DoorCounts(() => 0),
    throttle: new LoginThrottle(() => 0),
    clock: new ManualClock(),
    log: { warn() {}, error: (fields: object) => bugs.push(fields) },
    settings: () => ({ intake: { pagerduty: { routingKeys: keys }, opsgenie: { apiKeys: keys } } }),
    askStorage,
    async submit(_: unknown, payloads: readonly Payload[]) {
      for (const payload of payloads) submitted.push(...payloadsOf(Buffer.from(JSON.stringify(payload)), 'json'))
      return { id: 'i-2' }
    },
  } as unknown as DoorDeps
  return { routes: publicRoutesOf(doorOf(deps), deps), submitted, bugs }
}

const json = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, '', ' ', KEY, 'trigger', 'resolve', 'alias'),
    fc.string({ unit: 'binary' }),
  ),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom('payload', 'summary', '__proto__', 'toString'), fc.string()),
    tie('any'),
    { maxKeys: 4 },
  ),
  any: fc.oneof({ maxDepth: 3 }, tie('leaf'), fc.array(tie('any'), { maxLength: 3 }), tie('object')),
})).any

/** An object with some of the names, right values and wrong ones. */
const bodyOf = (names: { readonly [name: string]: readonly unknown[] }) =>
  fc.record(
    Object.fromEntries(
      Object.entries(names).map(([name, values]) => [
        name,
        fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, json),
      ]),
    ),
    { requiredKeys: [] },
  )

/** Content of an alert that the key may touch. */
const KNOWN = { integration: 'i', action: 'create', alias: 'a', message: 'm' }
const REQUEST = { query: '', headers: {}, address: '127.0.0.1', network: '7f000001' }
const bytes = (body: unknown) => Buffer.from(JSON.stringify(body))

test('no event is a bug or an incident of another sender', async () => {
  const event = bodyOf({
    routing_key: [KEY],
    event_action: ['trigger', 'acknowledge', 'resolve'],
    dedup_key: ['k', undefined],
    payload: [{ summary: 's', severity: 'critical', custom_details: { a: 1 } }, {}],
    client: ['c'],
  })
  await fc.assert(
    fc.asyncProperty(event, json, async (body, content) => {
      const { routes, submitted, bugs } = open(pagerduty, content)
      const answer = await routes[0]?.answer({ ...REQUEST, params: {}, body: bytes(body) })
      assert.ok([202, 400].includes(answer?.status ?? 0), String(answer?.status))
      assert.deepEqual(bugs, [])
      for (const payload of submitted) {
        assert.equal(recognise(payload).sender, 'pagerduty_event')
        assert.equal('routing_key' in payload, false)
        assert.match(recognise(payload).fingerprint, /^pagerduty_event:(i:|sha256:)/)
      }
    }),
    { numRuns: 300 },
  )
})

test('no request of the alert API is a bug or an incident of another sender', async () => {
  const alert = bodyOf({
    message: ['m'],
    alias: ['a', undefined],
    details: [{ service: 's' }],
    tags: [['t', 'a:b']],
    responders: [[{}]],
    note: ['n'],
    user: ['Ada'],
    priority: ['P1'],
  })
  const paths = fc.record({
    nth: fc.nat(10),
    query: fc.constantFrom('', 'identifierType=alias', 'identifierType=tiny', 'identifierType=%', 'identifierType=id'),
    id: fc.oneof(fc.constantFrom('1', 'a'), fc.string({ unit: 'binary' })),
  })
  await fc.assert(
    fc.asyncProperty(paths, alert, fc.oneof(json, fc.constant(KNOWN)), async ({ nth, query, id }, body, content) => {
      const { routes, submitted, bugs } = open(opsgenie, content)
      const route = routes.filter(({ path }) => !path.includes('heartbeats'))[nth % 7]
      const headers = { authorization: `GenieKey ${KEY}` }
      const params = { id, requestId: id }
      const answer = await route?.answer({ ...REQUEST, query, headers, params, body: bytes(body) })
      assert.ok([200, 202, 404, 422].includes(answer?.status ?? 0), `${route?.path}: ${answer?.status}`)
      assert.deepEqual(bugs, [])
      for (const payload of submitted) {
        assert.equal(recognise(payload).sender, 'opsgenie_alert')
        assert.match(recognise(payload).fingerprint, /^opsgenie_alert:(i:|sha256:)/)
      }
    }),
    { numRuns: 300 },
  )
})
