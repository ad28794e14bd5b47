import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreOptions } from '../../src/store/store.ts'
import { openStore } from './database.ts'
import { compileForTests } from './noise/silences/rig.ts'
import { schemaOf, VERSIONS, writeDatabase } from './schema-history.ts'
import { freshDir } from './support.ts'
import { about, UpgradedStore } from './upgraded.ts'

/** Time of the rows of `fixtures/schema-history.sql`: incident n was committed n seconds after it. */
const BEGAN = 1_800_000_000_000
const TEN_MINUTES = 600_000
const iso = (at: number) => new Date(at).toISOString()
const id = (incident: number) => `01930000-0000-7000-8000-${incident.toString(16).padStart(12, '0')}`

const RATE = { perSecond: 1, burst: 4 }
const STORMS = { chatws: { enable: true, rate: RATE, reading: RATE, withinMs: 60_000, edits: true } }

function open(t: TestContext, version: number, options: Partial<StoreOptions> = {}): UpgradedStore {
  const { dataDir = freshDir(t) } = options
  writeDatabase(dataDir, version)
  const oncall = { enable: true, waitMs: 7_190_000, provider: 'webhook' }
  return new UpgradedStore(t, {
    ...{ dataDir, channels: ['chatws', 'msgapp'], oncall, at: BEGAN + TEN_MINUTES },
    ...options,
  })
}

/** Incidents of the first version as any later one shows them: state and attempts on chatws and on msgapp. */
const FIRST = [
  [1, 'sent', 'sent sent 1', 'sent sent 1'],
  [2, 'partial', 'sent sent 1', 'dead retry,retry,failed 3: chat not found'],
  [3, 'pending', 'pending? - 0', 'pending retry 1'],
  [4, 'pending', 'pending - 0 to ops', 'pending? retry 1'],
  [5, 'partial', 'skipped - 0', 'sent sent 1'],
  [6, 'pending', 'pending - 0', 'pending? - 0'],
  [7, 'sent', 'sent sent 1', 'sent sent 1'],
] as const

function shown(upgraded: UpgradedStore, incident: number) {
  const { notify_status, deliveries } = upgraded.detail(id(incident))
  const texts = deliveries.map(({ state, may_duplicate, attempts, target, dead_reason }) => {
    const outcomes = attempts.map(({ outcome }) => outcome).join(',') || '-'
    const where = target === null ? '' : ` to ${target}`
    return `${state}${may_duplicate ? '?' : ''} ${outcomes} ${attempts.length}${where}${dead_reason ? `: ${dead_reason}` : ''}`
  })
  return [incident, notify_status, ...texts]
}

for (const version of VERSIONS) {
  const has = (since: number) => version >= since

  test(`a database of version ${version} keeps its incidents, deliveries and attempts`, (t) => {
    const upgraded = open(t, version)
    for (const expected of FIRST) assert.deepEqual(shown(upgraded, expected[0]), expected)
    const one = upgraded.detail(id(1))
    assert.deepEqual(one.content, { title: 'incident 1' })
    assert.equal(one.deliveries[0]?.text, 'text of 1')
    const seven = upgraded.detail(id(7))
    assert.deepEqual(
      [seven.status, seven.reported_status, seven.acked_by, seven.acked_at, seven.resolved_at],
      ['resolved', 'firing', 'Ada', iso(BEGAN + 8_000), iso(BEGAN + 9_000)],
    )
    if (has(3)) {
      const [attempt] = upgraded.detail(id(8)).deliveries[0]?.attempts ?? []
      assert.deepEqual([attempt?.handed_out_at, attempt?.connected_ms], [iso(BEGAN + 8_010), 3.5])
    }
    if (has(5)) assert.equal(upgraded.detail(id(9)).topic?.message_id, 'm-9')
    if (has(10)) assert.deepEqual(upgraded.detail(id(11)).content, { title: 'incident 11' })
    assert.deepEqual(upgraded.submit({ key: 'key of 1' }), { kind: 'duplicate', id: id(1) })
  })

  test(`a database of version ${version} goes on sending`, (t) => {
    const upgraded = open(t, version)
    upgraded.applyAll()
    const later = [...(has(3) ? [8] : []), ...(has(5) ? [9] : []), ...(has(10) ? [10, 11, 12, 13, 14] : [])]
    const claimed = (channel: 'chatws' | 'msgapp') =>
      upgraded.claimDeliveries(channel).map((each) => `${each.id}${each.mayDuplicate ? '?' : ''} ${each.attempt}`)
    const first = (incidents: readonly number[]) => incidents.map((incident) => `${id(incident)} 1`)
    if (has(14)) later.push(16)
    const interrupted = has(14) ? [`${id(16)}? 1`] : []
    assert.deepEqual(
      claimed('chatws').sort(),
      [`${id(3)}? 1`, ...first([4, 6, ...later]), ...(has(3) ? [`${id(8)} 2`] : []), ...interrupted]
        .filter((each) => each !== `${id(8)} 1` && each !== `${id(16)} 1`)
        .sort(),
    )
    if (has(17)) later.push(20)
    assert.deepEqual(claimed('msgapp').sort(), [`${id(4)}? 2`, `${id(6)}? 1`, ...first(later)].sort())
    upgraded.now = BEGAN + 3_600_000
    assert.deepEqual(claimed('msgapp'), [`${id(3)} 2`])
    assert.equal(upgraded.store.channels.isPaused('msgapp'), has(2))
    assert.deepEqual(upgraded.store.cursors.load(), has(6) ? { app: { file: '12', offset: 62 } } : {})
  })

  test(`a database of version ${version} goes on paging and reporting`, (t) => {
    const upgraded = open(t, version)
    upgraded.applyAll()
    const states = Array.from({ length: 7 }, (_, at) => upgraded.detail(id(at + 1)).oncall?.state)
    const expected = ['paged', 'failed', 'paging', 'armed', 'acknowledged', 'cancelled', 'resolved']
    // Incident 14 resolves the fingerprint of incident 1.
    if (has(10)) expected[0] = 'resolved'
    assert.deepEqual(states, has(4) ? expected : Array(7).fill(undefined))
    const pages = upgraded.claimPages().map((page) => [page.id, page.signal, page.mayDuplicate, page.attempt])
    assert.deepEqual(
      pages.sort(),
      [
        ...(has(4) ? [[id(3), 'trigger', true, 2]] : []),
        ...(has(4) ? [[id(5), 'acknowledge', false, 1]] : []),
        ...(has(4) ? [[id(7), 'resolve', false, 3]] : []),
        ...(has(10) ? [[id(1), 'resolve', false, 1]] : []),
      ].sort(),
    )
    assert.deepEqual(
      upgraded
        .claimNotices()
        .map(({ channel, text, mayDuplicate }) => [text, channel, mayDuplicate])
        .sort(),
      [
        ...(has(7) ? [[about('oncall', 1), 'msgapp', true]] : []),
        ...(has(9) ? [['✅ Acknowledged by Ada: incident 7', 'chatws', true]] : []),
        ...(has(9) ? [['🟢 Resolved by Bob: incident 7', 'chatws', false]] : []),
      ].sort(),
    )
    upgraded.now = BEGAN + 903_000
    assert.deepEqual(
      upgraded.claimNotices().map(({ text }) => text),
      has(7) ? [about('msgapp', 1)] : [],
    )
  })

  test(`a database of version ${version} becomes what a new one is`, (t) => {
    const [dataDir, fresh] = [freshDir(t), freshDir(t)]
    open(t, version, { dataDir }).store.close()
    openStore({ dataDir: fresh, channels: [], maxIncidents: 1, maxBacklog: 1, now: () => BEGAN }).close()
    assert.deepEqual(schemaOf(dataDir), schemaOf(fresh))
  })

  test(`a database of version ${version} is searched as before, and what was quarantined is kept`, (t) => {
    const upgraded = open(t, version)
    upgraded.applyAll()
    const { store } = upgraded
    while (store.maintenance.index(100) > 0);
    const found = (q: string, status?: 'resolved') =>
      store.incidents.list({ limit: 100, q, ...(status && { status }) }).incidents.map((incident) => incident.id)
    const { incidents, quarantinedIncidents } = store.status.counters()
    assert.equal(found('incident').length, incidents - quarantinedIncidents)
    assert(found('incident', 'resolved').includes(id(7)))
    assert.equal(quarantinedIncidents, (has(11) ? 1 : 0) + (has(15) ? 1 : 0))
  })

  if (has(16))
    test(`a database of version ${version} goes on with its digest, and knows what decided`, (t) => {
      const upgraded = open(t, version, { storms: STORMS })
      assert.deepEqual(upgraded.detail(id(18)).deliveries[0]?.via, {
        digest: 1,
        place: 1,
        kind: 'storm',
        revision: 1,
        told_at: iso(BEGAN + 20_000),
      })
      assert.equal(upgraded.detail(id(19)).deliveries[0]?.state, 'folded')
      const { decision } = upgraded.store.noise.decided(id(19)) ?? {}
      assert.deepEqual(decision?.rules, [{ name: 'checkout', where: 'config.yaml:12' }])
      assert.deepEqual(upgraded.tellDigest('chatws'), { number: 1, mayDuplicate: false })
      const { notify_status, deliveries } = upgraded.detail(id(19))
      assert.deepEqual(
        [notify_status, deliveries[0]?.state, deliveries[0]?.via?.place, deliveries[0]?.via?.revision],
        ['sent', 'sent', 2, 2],
      )
    })

  if (has(17))
    test(`a database of version ${version} knows for which channel another one stands in`, (t) => {
      const { deliveries } = open(t, version).detail(id(20))
      assert.deepEqual(
        deliveries.map(({ channel, state, reason }) => [channel, state, reason]),
        [
          ['chatws', 'dead', null],
          ['msgapp', 'pending', 'fallback of chatws'],
        ],
      )
    })

  if (has(18))
    test(`a database of version ${version} knows which heartbeat is missing`, (t) => {
      const heartbeats = { silenceMs: new Map([['backup', 60_000]]), signsOfLife: () => [] }
      const [backup] = open(t, version, { heartbeats }).store.heartbeats.states()
      assert.deepEqual(
        [backup?.state, backup?.heardAt, backup?.missingSince],
        ['missing', BEGAN + 10_000, BEGAN + 20_000],
      )
    })

  if (has(19))
    test(`a database of version ${version} goes on holding what its silence holds, and tells it at the end`, (t) => {
      const upgraded = open(t, version, { silences: { compile: compileForTests, configured: [] } })
      const states = () => [
        upgraded.detail(id(21)).oncall?.state,
        ...upgraded.detail(id(21)).deliveries.map(({ state }) => state),
      ]
      upgraded.claimDeliveries('chatws')
      assert.deepEqual(states(), ['held', 'held', 'held'])
      const { silences } = upgraded.store.silences.list({ limit: 10 })
      const known = [
        ...(has(23) ? [['behind', 'active']] : []),
        ['disks', 'active'],
        ...(has(24) ? [['routers', 'ended']] : []),
      ]
      assert.deepEqual(silences.map(({ name, state }) => [name, state]).sort(), known)
      if (has(23)) assert.equal(upgraded.store.silences.detail(2)?.causes[0]?.service, 'db-1')
      upgraded.now = BEGAN + 3_600_000
      const told = upgraded.claimDeliveries('chatws').map((each) => each.id)
      assert.ok(told.includes(id(21)), told.join())
      assert.deepEqual(states(), ['armed', 'sending', 'pending'])
    })

  if (has(20))
    test(`a database of version ${version} counts the incident that its problem does not have yet`, (t) => {
      const upgraded = open(t, version)
      const twenty = () => upgraded.store.problems.list({ limit: 100, q: 'custom:20' }).problems[0]
      assert.equal(twenty()?.firing_total, 1)
      upgraded.applyAll()
      upgraded.now += 200
      upgraded.claimDeliveries('chatws')
      assert.deepEqual([twenty()?.firing_total, twenty()?.last_incident_id], [2, id(22)])
    })

  if (has(24))
    test(`a database of version ${version} tells what its ended silence has not told yet, and gives its account`, (t) => {
      const statesOf = (store: UpgradedStore) => store.detail(id(23)).deliveries.map(({ state }) => state)
      assert.deepEqual(statesOf(open(t, version)), ['held', 'held'], 'as long as silences are not started')
      const upgraded = open(t, version, { silences: { compile: compileForTests, configured: [] } })
      const accounts = upgraded.claimNotices().filter(({ text }) => text.includes('routers'))
      assert.deepEqual(statesOf(upgraded), ['sending', 'sending'])
      assert.deepEqual(accounts.map(({ channel }) => channel).sort(), ['chatws', 'msgapp'])
    })

  if (has(25))
    test(`a database of version ${version} goes on with the repeats beside the message of their problem`, (t) => {
      const repeats = { mode: 'fold', remindMs: 4 * 3_600_000 } as const
      const upgraded = open(t, version, { storms: { msgapp: STORMS.chatws }, repeats })
      const via = (incident: number) => {
        const { state, via: digest } = upgraded.detail(id(incident)).deliveries[0] ?? {}
        return [state, digest?.digest, digest?.kind, digest?.place, digest?.revision]
      }
      assert.deepEqual(via(25), ['sent', 2, 'repeats', 1, 1])
      assert.deepEqual(via(26), ['folded', 2, 'repeats', 2, null])
      assert.deepEqual(upgraded.tellDigest('msgapp'), { number: 2, mayDuplicate: false, edits: '124' })
      assert.deepEqual(via(26), ['sent', 2, 'repeats', 2, 2])
    })

  if (has(26))
    test(`a database of version ${version} tells of the problem that flaps`, (t) => {
      const upgraded = open(t, version, { channels: ['email'], flapping: { enable: true } })
      const told = () => {
        const { state, via } = upgraded.detail(id(27)).deliveries[0] ?? {}
        return [state, via?.digest, via?.kind, via?.place, via?.revision]
      }
      assert.deepEqual(told(), ['folded', 3, 'flapping', 1, null])
      assert.deepEqual(upgraded.tellDigest('email'), { number: 3, mayDuplicate: false })
      assert.deepEqual(told(), ['sent', 3, 'flapping', 1, 1])
    })
}
