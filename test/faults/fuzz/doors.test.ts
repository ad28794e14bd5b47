import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { SECRET } from '../../harness/net/requests.ts'
import { ask, type WireRequest } from '../../harness/net/wire.ts'
import { encodeLogs } from '../../harness/otlp.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, bugsIn, startVictim } from '../victim.ts'
import { body, encoded, tree, word } from './hostile.ts'

const KEY = 'key-of-the-doors-0123456789'
const HOUR_MS = 3_600_000

const CONFIG = {
  intake: {
    alertmanager: { max_alerts: 1_000_000 },
    pagerduty: { routing_keys: { kuma: KEY } },
    opsgenie: { api_keys: { legacy: KEY } },
    pings: { key: KEY },
  },
  heartbeats: [{ name: 'nightly backup', slug: 'nightly-backup', every: '1h' }],
  agent: {
    enable: true,
    mode: 'detect',
    poll_interval: '100ms',
    new_service_grace: '0s',
    regex: { default_pattern: '.*' },
    sources: [{ name: 'otel', type: 'otlp', otlp: { token: KEY, extra_fields: ['region'] } }],
  },
}

const time = fc.oneof(
  fc.integer({ min: -HOUR_MS, max: HOUR_MS }).map((ms) => new Date(Date.now() + ms).toISOString()),
  fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999+14:00', '2026-02-30T00:00:00Z', 'now'),
)
const texts = fc.dictionary(fc.oneof(fc.constantFrom('alertname', 'severity', 'service'), word), word, { maxKeys: 5 })
const alert = fc.record(
  { labels: texts, annotations: texts, startsAt: time, endsAt: time, generatorURL: word },
  { requiredKeys: ['labels'] },
)
const matcher = fc.record({ name: word, value: word, isRegex: fc.boolean(), isEqual: fc.boolean() })
const value = tree.map((any) => ({ stringValue: JSON.stringify(any) }))
const record = fc.record(
  {
    severityNumber: fc.integer({ min: -1, max: 30 }),
    severityText: word,
    body: value,
    attributes: fc.array(fc.record({ key: fc.oneof(fc.constant('region'), word), value }), { maxLength: 3 }),
    eventName: word,
  },
  { requiredKeys: [] },
)
const logs = fc
  .array(record, { maxLength: 5 })
  .map((logRecords) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))

interface DoorCase {
  readonly method: string
  readonly target: string
  readonly valid: fc.Arbitrary<unknown>
  readonly auth?: string
  /** Writes the valid value; JSON by default. */
  readonly encode?: (valid: unknown) => Buffer
  readonly type?: string
}

const empty = fc.constant('')
const json = (valid: unknown) => Buffer.from(JSON.stringify(valid))
const genie = `GenieKey ${KEY}`
const bearer = `Bearer ${SECRET}`
const otlp = { method: 'POST', target: '/v1/logs', valid: logs, auth: `Bearer ${KEY}` }
const read = (path: string, names: readonly string[]) => (query: string) => ({
  method: 'GET',
  target: `${path}?${names.map((name) => `${name}=${query}`).join('&')}`,
  valid: empty,
  auth: bearer,
})

/** One request of each kind to each door; `name` stands for a segment of the path, encoded. */
const casesWith = (name: string): readonly DoorCase[] => [
  { method: 'POST', target: '/api/v2/alerts', valid: fc.array(alert, { maxLength: 4 }) },
  {
    method: 'POST',
    target: '/api/v2/silences',
    auth: bearer,
    valid: fc.record(
      {
        id: word,
        matchers: fc.array(matcher, { maxLength: 4 }),
        startsAt: time,
        endsAt: time,
        createdBy: word,
        comment: fc.oneof(word, fc.constant('broad: test')),
      },
      { requiredKeys: ['matchers', 'endsAt'] },
    ),
  },
  { method: 'GET', target: `/api/v2/silence/${name}`, valid: empty, auth: bearer },
  { method: 'DELETE', target: `/api/v2/silence/${name}`, valid: empty, auth: bearer },
  read('/api/v2/alerts', ['filter', 'receiver', 'active'])(name),
  read('/api/v2/alerts', ['filter'])(`${encoded('alertname=~"')}${name}${encoded('"')}`),
  read('/api/v2/alerts/groups', ['filter', 'muted'])(name),
  read('/api/v2/silences', ['filter', 'expired'])(name),
  read('/api/v2/receivers', ['receiver_matchers'])(name),
  {
    method: 'POST',
    target: '/v2/enqueue',
    valid: fc.record(
      {
        routing_key: fc.constant(KEY),
        event_action: fc.constantFrom('trigger', 'acknowledge', 'resolve'),
        dedup_key: fc.oneof(fc.constantFrom('a', 'b'), word),
        client: word,
        payload: fc.record(
          {
            summary: word,
            severity: word,
            source: word,
            component: word,
            group: word,
            class: word,
            custom_details: tree,
          },
          { requiredKeys: ['summary'] },
        ),
      },
      { requiredKeys: ['routing_key', 'event_action', 'payload'] },
    ),
  },
  {
    method: 'POST',
    target: '/v2/alerts',
    auth: genie,
    valid: fc.record(
      { message: word, alias: word, priority: word, source: word, entity: word, tags: fc.array(word), details: texts },
      { requiredKeys: ['message'] },
    ),
  },
  ...['close', 'acknowledge', 'notes'].map((action) => ({
    method: 'POST',
    target: `/v2/alerts/${name}/${action}?identifierType=alias`,
    auth: genie,
    valid: fc.record({ user: word, source: word, note: word }, { requiredKeys: [] }),
  })),
  { method: 'GET', target: `/v2/alerts/requests/${name}`, auth: genie, valid: empty },
  { method: 'POST', target: `/v2/heartbeats/${name}/ping`, auth: genie, valid: empty },
  { method: 'POST', target: `/ping/${KEY}/nightly-backup/${name}`, valid: word },
  { method: 'POST', target: `/ping/${KEY}/nightly-backup/start?rid=${name}`, valid: word },
  { ...otlp },
  { ...otlp, type: 'application/x-protobuf', encode: (valid) => encodeLogs(valid as object) },
]

/** Replaces one place of a JSON value. */
function replaced(value: unknown, at: number, by: unknown): unknown {
  if (at % 4 === 0 || typeof value !== 'object' || value === null) return by
  const keys = Object.keys(value)
  const key = keys[at % Math.max(1, keys.length)]
  if (key === undefined) return by
  const rest = value as { readonly [key: string]: unknown }
  const changed = replaced(rest[key], Math.floor(at / 4), by)
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }
}

/** Changes some bytes, or cuts them off. */
const bytesOf = (whole: Buffer, places: readonly (readonly [number, number])[], cut: number | null) => {
  const bytes = Buffer.from(whole)
  for (const [at, byte] of places) if (bytes.length > 0) bytes[at % bytes.length] = byte
  return cut === null ? bytes : bytes.subarray(0, cut % (bytes.length + 1))
}

const requestOf = fc.tuple(word, fc.nat()).chain(([segment, nth]): fc.Arbitrary<WireRequest> => {
  const cases = casesWith(encoded(segment.slice(0, 300)) || '-')
  const {
    method,
    target,
    valid,
    auth,
    encode = json,
    type = 'application/json',
  } = cases[nth % cases.length] as DoorCase
  const whole = valid.map(encode)
  const changed = fc.oneof(
    whole,
    fc.tuple(valid, fc.nat(), tree).map(([one, at, by]) => json(replaced(one, at, by))),
    fc
      .tuple(whole, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.option(fc.nat(), { freq: 5 }))
      .map(([bytes, places, cut]) => bytesOf(bytes, places, cut)),
    body,
  )
  return fc.record({ bytes: changed, packed: fc.option(fc.boolean(), { freq: 5 }) }).map(({ bytes, packed }) => ({
    method,
    target,
    headers: [
      ['Content-Type', type],
      ...(auth === undefined ? [] : [['Authorization', auth] as const]),
      ...(packed === null ? [] : [['Content-Encoding', 'gzip'] as const]),
    ],
    body: method === 'GET' || method === 'DELETE' ? Buffer.alloc(0) : packed === true ? gzipSync(bytes) : bytes,
  }))
})

/** Alerts beside a valid one, and its place among them. */
const mixed = fc.record({ others: fc.array(fc.oneof(alert, tree), { maxLength: 5 }), at: fc.nat(5) })

test('any request to any door is answered without a bug, and no valid alert is lost', async (t) => {
  const victim = await startVictim(t, CONFIG)
  const { url } = victim
  const accepted = new Set<string>()
  const counts: { [status: number]: number } = {}
  const before = victim.rss()
  const batches = fc.tuple(fc.array(requestOf, { minLength: 1, maxLength: 12 }), mixed)
  await holdsFor(t, { share: 0.1, arbitrary: batches }, async ([requests, alerts]) => {
    await Promise.all([...requests.map(assertAnswered), postMixed(alerts)])
  })

  async function assertAnswered(request: WireRequest): Promise<void> {
    const { status, body: answer } = await ask(url, request)
    counts[status] = (counts[status] ?? 0) + 1
    const sent = `${request.method} ${request.target.slice(0, 300)} ${Buffer.from(request.body).toString().slice(0, 500)}`
    assert.ok(
      (status >= 200 && status < 500) || status === 503,
      `${sent}: ${status} ${answer} ${bugsIn(victim.output())}`,
    )
    assert.ok(!answer.includes(SECRET) && !answer.includes(KEY), `${sent}: ${answer}`)
  }

  async function postMixed({
    others,
    at,
  }: {
    readonly others: readonly unknown[]
    readonly at: number
  }): Promise<void> {
    const id = `valid-${accepted.size}-${Math.random().toString(36).slice(2)}`
    const good = { labels: { alertname: 'Valid', id }, endsAt: new Date(Date.now() + HOUR_MS).toISOString() }
    const sent = JSON.stringify(others.toSpliced(at, 0, good))
    const headers = [['Content-Type', 'application/json']] as const
    const { status, body: answer } = await ask(url, {
      method: 'POST',
      target: '/api/v2/alerts',
      headers,
      body: Buffer.from(sent),
    })
    assert.ok([200, 400, 413, 503].includes(status), `${sent}: ${status} ${answer}`)
    if (status === 200 || /^"alert \d+: /.test(answer)) accepted.add(id)
  }

  const target = `/api/v2/alerts?filter=${encoded('alertname="Valid"')}`
  const answer = await ask(url, { method: 'GET', target, headers: [['Authorization', bearer]], body: Buffer.alloc(0) })
  assert.equal(answer.status, 200, answer.body.slice(0, 500))
  const fires = new Set((JSON.parse(answer.body) as { labels: { id: string } }[]).map(({ labels }) => labels.id))
  assert.deepEqual(
    [...accepted].filter((id) => !fires.has(id)),
    [],
  )
  t.diagnostic(JSON.stringify({ ...counts, valid: accepted.size }))
  await victim.assertSound()
  assertBounded(before, victim.rss())
})
