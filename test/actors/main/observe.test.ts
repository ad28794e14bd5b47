import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createObserver, type ObserverDeps } from '../../../actors/main/observe.ts'
import { AskError } from '../../../src/kernel/ask.ts'
import { Buckets } from '../../../src/telemetry/histogram.ts'
import { openMeters } from '../../../src/telemetry/meters.ts'
import { createMetrics } from '../../../src/telemetry/metrics.ts'
import { SharedNumbers } from '../../../src/telemetry/shared-numbers.ts'
import { statsOf } from '../../../src/telemetry/stats.ts'
import { scrapeOf } from '../../harness/metrics.ts'

const START = Date.UTC(2030, 0, 1)

/** A system whose every thread hangs; `asked` names the threads that were asked. */
function hung() {
  const asked: string[] = []
  const meters = openMeters(() => START)
  const silent = async (thread: string): Promise<never> => {
    asked.push(thread)
    throw new AskError('ask_timeout', `${thread} did not answer`)
  }
  const deps: ObserverDeps = {
    meters,
    startedAt: START - 1_000,
    version: '1.2.3',
    now: () => START,
    channels: () => ['chatws'],
    supervisor: {
      states: () => ['store', 'send', 'agent'].map((name) => ({ name, state: 'up', restarts: 1 })),
      status: silent,
      ask: silent,
    },
    main: {
      status: () => [],
      eventLoop: () => ({ utilization: 0.5, lagMs: { p50: 1, p99: 2, max: 3 } }),
      topic: () => ({ enabled: false, topic_arn: '', subscription: null, messages: { taken: 0, refused: {} } }),
      doors: () => [],
      alerts: () => undefined,
      answers: () => ({
        presses: new Map(),
        reconnects: new Map(),
        tookMs: new Buckets(new SharedNumbers()),
        repliesDropped: 0,
        receivers: [],
      }),
      brief: () => ({
        tookMs: new Buckets(new SharedNumbers(new SharedArrayBuffer(4_096))),
        late: new Map(),
        changes: new Map(),
      }),
      mcp: () => ({ calls: new Map(), refused: new Map(), confirmed: new Map(), tookMs: new Map() }),
      tailClients: () => 0,
      links: () => [],
    },
  }
  return { deps, meters, asked }
}

test('threads that do not answer are shown as silent, with what they counted', async () => {
  const { deps, meters } = hung()
  meters.channels.chatws.sent.add(7)
  const stats = statsOf(await createObserver(deps)())
  assert.equal(stats.threads.send?.state, 'silent')
  assert.equal(stats.threads.main?.state, 'up')
  assert.equal(stats.deliveries.chatws?.sent_total, 7)
  assert.deepEqual([stats.storage, stats.agent, stats.attention.dead], [null, null, null])
  const { values } = scrapeOf(await createMetrics(createObserver(deps))())
  assert.equal(values.get('tocsin_deliveries_total{channel="chatws",state="sent"}'), 7)
  assert.equal(values.get('tocsin_thread_up{thread="store"}'), 0)
  assert.equal(values.get('tocsin_incidents_stored'), undefined)
})

test('losses between threads and unknown settlements are metrics', async () => {
  const { deps } = hung()
  const lost = { misdirected: 1, unsendable: 2, lateFrames: 3, lostNotices: 4 }
  const eventLoop = { utilization: 0, lagMs: { p50: 0, p99: 0, max: 0 } }
  const main = { ...deps.main, links: () => [{ peer: 'store', counts: { framesPosted: 5, tellsPosted: 6, ...lost } }] }
  const supervisor = {
    ...deps.supervisor,
    status: async () => ({ eventLoop, actors: [], links: { send: { framesPosted: 7, tellsPosted: 8, ...lost } } }),
    async ask(thread: string, actor: string) {
      return actor === 'storage'
        ? { unknownSettlements: 9, oncall: {}, silences: {}, heartbeats: [], problems: {}, ruleHits: [] }
        : deps.supervisor.ask(thread, actor, { kind: '' }, 0)
    },
  }
  const families = createMetrics(createObserver({ ...deps, main, supervisor, channels: () => [] }))
  const { values } = scrapeOf(await families())
  const lostBy = (ends: string, reason: string) => values.get(`tocsin_link_lost_total{${ends},reason="${reason}"}`)
  for (const ends of ['thread="main",peer="store"', 'thread="store",peer="send"'])
    assert.deepEqual(
      ['misdirected', 'unsendable', 'late', 'notice'].map((reason) => lostBy(ends, reason)),
      [1, 2, 3, 4],
    )
  assert.equal(values.get('tocsin_link_messages_total{thread="main",peer="store"}'), 6)
  assert.equal(values.get('tocsin_link_frames_total{thread="store",peer="send"}'), 7)
  assert.equal(values.get('tocsin_settlements_unknown_total'), 9)
})

test('callers at the same time share one snapshot', async () => {
  const { deps, asked } = hung()
  const observe = createObserver(deps)
  const [one, other] = await Promise.all([observe(), observe()])
  assert.equal(one, other)
  const once = asked.length
  await observe()
  assert.equal(asked.length, 2 * once)
})

test('a bucket counts all values up to its bound, and the last one all values', async () => {
  const { deps, meters } = hung()
  for (const ms of [4, 5, 6, 2_000_000]) meters.channels.chatws.confirmedMsBySeverity.high.record(ms)
  for (const ms of [0.4, 0.5, 1, 3, 99_999]) meters.ingest.commitMs.record(ms)
  const { values } = scrapeOf(await createMetrics(createObserver(deps))())
  const confirmed = (le: string) =>
    values.get(`tocsin_delivery_seconds_bucket{channel="chatws",severity="high",le="${le}"}`)
  assert.deepEqual(['0.005', '0.01', '1800', '+Inf'].map(confirmed), [2, 3, 3, 4])
  const commits = (le: string) => values.get(`tocsin_commit_seconds_bucket{le="${le}"}`)
  assert.deepEqual(['0.0005', '0.001', '0.0025', '0.005', '10', '+Inf'].map(commits), [2, 3, 3, 4, 4, 5])
})
