import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { journalAnswers } from '../../../actors/journal/queries.ts'
import { Quota } from '../../../actors/journal/quota.ts'
import { encodeFrame, readFrameHeader, readFrameRequests } from '../../../src/domain/frame.ts'
import { incidentId } from '../../../src/domain/incident-id.ts'
import type { TopicOrigin } from '../../../src/domain/topic.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Disk } from '../../journal/disk.ts'
import { bodiesOn, frameOf, openOn, segment } from '../../journal/support.ts'
import { FIRST_LOOKUP, keyed, plain, Rig } from './rig.ts'

/** The id of an incident that the journal holds. */
function idOf({ journal }: Rig, number: number): string {
  return incidentId(readFrameHeader(journal.find(number)?.frame ?? new Uint8Array())?.idPrefix ?? '', number)
}

test('a request with a key waits until storage has looked for it, and others do not', () => {
  const rig = new Rig()
  const [withKey, without] = rig.commit(keyed('k'), plain())
  assert.deepEqual([...rig.answers()], [[without, ['created from 1']]])
  assert.deepEqual(rig.found(), ['k'])
  assert.deepEqual([...rig.answers()], [[withKey, ['created from 2']]])
})

test('the answer to a lookup of an earlier journal thread is ignored', () => {
  const rig = new Rig()
  const [batch] = rig.commit(keyed('k'))
  rig.tell({ kind: 'found', lookup: FIRST_LOOKUP, ids: ['the id of another key'] })
  assert.deepEqual([...rig.answers()], [])
  rig.found()
  assert.deepEqual(rig.answerOf(batch), ['created from 1'])
})

test('a key that storage knows is a duplicate of its incident, and nothing is written', () => {
  const rig = new Rig()
  const [batch] = rig.commit(keyed('k'))
  let writes = 0
  rig.disk.before = (call) => {
    if (call === 'write') writes++
    return undefined
  }
  rig.found({ k: 'the id' })
  assert.deepEqual(rig.answerOf(batch), ['duplicate the id'])
  assert.equal(writes, 0)
})

test('a key that a batch names twice is created once', () => {
  const rig = new Rig()
  const options = { 0: { key: 'k' }, 1: { key: 'k' }, 2: { key: 'other' } }
  const [batch] = rig.commit(frameOf(['{"a":1}', '{"a":2}', '{"a":3}'], options))
  assert.deepEqual(rig.found(), ['k', 'other'])
  const [one, two] = [idOf(rig, 1), idOf(rig, 2)]
  assert.deepEqual(rig.answerOf(batch), [`created ${one}`, `duplicate ${one}`, `created ${two}`])
  assert.deepEqual([...bodiesOn(rig.disk, 0, 2).values()], ['{"a":1}', '{"a":3}'])
})

test('a key of an incident that is not applied is known without storage', () => {
  const rig = new Rig()
  rig.commit(keyed('k'))
  rig.found()
  rig.answers()
  const [batch] = rig.commit(keyed('k'))
  assert.equal(rig.lookups.queued, 0)
  assert.deepEqual(rig.answerOf(batch), [`duplicate ${idOf(rig, 1)}`])
})

test('a key is not forgotten while a lookup is under way whose answer may be older', () => {
  const rig = new Rig()
  rig.commit(keyed('k'))
  rig.found()
  rig.answers()
  const id = idOf(rig, 1)
  const [, batch] = rig.commit(keyed('other'), keyed('k'))
  // Storage answers, then applies the incident of `k`; both reach the journal in the order of the answer.
  rig.applied(1)
  rig.commit(plain())
  rig.found()
  assert.deepEqual(rig.answerOf(batch), [`duplicate ${id}`])
})

test('one lookup is under way at a time, and the next one has all keys that wait', () => {
  const rig = new Rig()
  rig.commit(keyed('a'))
  rig.commit(keyed('b'))
  rig.commit(keyed('c'), keyed('b'))
  assert.equal(rig.lookups.queued, 1)
  assert.deepEqual(rig.found(), ['a'])
  assert.deepEqual(rig.found(), ['b', 'c'])
  assert.deepEqual(
    [...rig.answers().values()].map(([text = '']) => text.slice(0, 7)),
    ['created', 'created', 'created', 'duplica'],
  )
})

test('a key is not claimed by a request that the disk refused', () => {
  const rig = new Rig()
  rig.disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
  const [first, second] = rig.commit(keyed('k'), keyed('k'))
  rig.found()
  const answers = rig.answers()
  assert.deepEqual(answers.get(first ?? 0), ['storage_down'])
  assert.deepEqual(answers.get(second ?? 0), ['storage_down'])
  rig.disk.before = () => undefined
  rig.clock.advance(500)
  const [again] = rig.commit(keyed('k'))
  assert.deepEqual(rig.found(), ['k'])
  assert.deepEqual(rig.answerOf(again), ['created from 1'])
})

test('a key is not claimed by a request that the quota refused', () => {
  const rig = new Rig({ limits: { maxBacklog: 1, dispatchesPerIncident: 1 } })
  rig.commit(plain())
  rig.answers()
  const [batch] = rig.commit(keyed('k'))
  rig.found()
  assert.deepEqual(rig.answerOf(batch), ['backlog_full'])
  rig.applied(1)
  const [again] = rig.commit(keyed('k'))
  rig.found()
  assert.deepEqual(rig.answerOf(again), ['created from 2'])
})

test('a known key has its answer also when the quota is full or the disk refuses', () => {
  const rig = new Rig({ limits: { maxBacklog: 1, dispatchesPerIncident: 1 } })
  rig.commit(plain())
  rig.answers()
  rig.disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
  const [batch] = rig.commit(keyed('k'))
  rig.found({ k: 'the id' })
  assert.deepEqual(rig.answerOf(batch), ['duplicate the id'])
})

test('without storage requests with keys are refused, and others are committed', () => {
  const rig = new Rig()
  const [waiting] = rig.commit(keyed('a'))
  const [behind] = rig.commit(keyed('b'))
  rig.storage('down')
  const refused = rig.answers()
  assert.deepEqual(refused.get(waiting ?? 0), ['storage_down'])
  assert.deepEqual(refused.get(behind ?? 0), ['storage_down'])
  const [withKey, without] = rig.commit(keyed('c'), plain())
  const answers = rig.answers()
  assert.deepEqual(answers.get(withKey ?? 0), ['storage_down'])
  assert.deepEqual(answers.get(without ?? 0), ['created from 1'])
  rig.storage('up')
  const [again] = rig.commit(keyed('a'))
  assert.deepEqual(rig.found(), ['a'])
  assert.deepEqual(rig.answerOf(again), ['created from 2'])
  assert.equal(rig.cell.mailbox.occupied, 0)
})

test('a database that cannot be read refuses requests with keys', () => {
  const rig = new Rig()
  const [batch] = rig.commit(keyed('k'))
  rig.found('unreadable')
  assert.deepEqual(rig.answerOf(batch), ['storage_down'])
})

test('a key is created once, whatever storage, disk and time do in between', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ does: fc.constant('commit' as const), keys: fc.array(key, { maxLength: 3 }) }),
    },
    { weight: 4, arbitrary: fc.record({ does: fc.constant('found' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant('apply' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('storage' as const), up: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('disk' as const), works: fc.boolean() }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const rig = new Rig()
      /** Ids by key that the database has. */
      const database: { [key: string]: string } = {}
      /** Keys by batch, and the id that each key was first answered with. */
      const sent = new Map<number, string>()
      const ids = new Map<string, string>()
      const committedKeys = new Map<number, string>()
      const read = () => {
        for (const [batch, [text = '']] of rig.answers()) {
          const key = sent.get(batch) as string
          const number = Number(/^created from (\d+)/.exec(text)?.[1])
          if (number > 0) {
            assert.ok(!ids.has(key), `${key} is created twice`)
            ids.set(key, idOf(rig, number))
            committedKeys.set(number, key)
          }
          const [, duplicate] = /^duplicate (.*)/.exec(text) ?? []
          if (duplicate !== undefined) assert.equal(duplicate, ids.get(key))
        }
      }
      for (const each of steps) {
        if (each.does === 'commit') {
          const batches = rig.commit(...each.keys.map((key) => keyed(key)))
          batches.forEach((batch, at) => {
            sent.set(batch, each.keys[at] as string)
          })
        } else if (each.does === 'found') rig.found({ ...database })
        else if (each.does === 'storage') rig.storage(each.up ? 'up' : 'down')
        else if (each.does === 'disk') {
          rig.disk.before = (call) => (call === 'sync' && !each.works ? 'EIO' : undefined)
          rig.clock.advance(500)
        } else {
          const { applied, committed } = rig.progress
          const next = applied + Math.round(each.share * (committed - applied))
          for (const [number, key] of committedKeys) if (number <= next) database[key] = ids.get(key) as string
          rig.applied(next)
        }
        read()
      }
    }),
    { numRuns: 300 },
  )
})

const ORIGIN: TopicOrigin = {
  message_id: 'm-1',
  topic_arn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  subject: null,
  published_at: '2026-01-02T03:04:05.000Z',
  attributes: {},
}

/** A journal with these frames, none of which is applied, and what it answers. */
function answering(...frames: readonly Uint8Array<ArrayBuffer>[]) {
  const disk = new Disk(['/data'])
  const { journal } = openOn(disk)
  journal.append(frames)
  const progress = new SharedProgress(createProgressMemory())
  progress.setApplied({ applied: 0, released: 0, backlog: 0 })
  const quota = new Quota(progress, { maxBacklog: 100, dispatchesPerIncident: 1 })
  const { incident } = journalAnswers({ journal, progress, quota, log: createLog({ level: 'info', secrets: [] }) })
  const ids = frames.flatMap((frame) =>
    readFrameRequests(frame).flatMap(({ incidents }) => incidents.map(({ id }) => id)),
  )
  const ask = async (at: number) => await incident({ id: ids[at] ?? '', channels: ['chatws'], behind: 0 })
  return { ask, ids, disk, progress }
}

/** One topic message with these incidents. */
function topicMessage(bodies: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoded = bodies.map((body) => Buffer.from(body))
  const options = { source: 'topic', origin: ORIGIN } as const
  return encodeFrame(
    {
      receivedAt: [1_000],
      counts: [bodies.length],
      lengths: encoded.map(({ length }) => length),
      options: [[0, options]],
    },
    Buffer.concat(encoded),
  )
}

test('an incident that is not applied is answered with its fields, until it is applied', async () => {
  const { ask, ids, progress } = answering(frameOf(['{"title":"disk full","severity":"High"}']))
  const { id, title, severity, applied, channels_enabled, topic } = (await ask(0)) ?? {}
  assert.deepEqual(
    [id, title, severity, applied, channels_enabled, topic],
    [ids[0], 'disk full', 'high', false, ['chatws'], null],
  )
  progress.setApplied({ applied: 1, released: 1, backlog: 0 })
  assert.equal(await ask(0), undefined)
})

test('the first incident of a topic message has its origin, as in the database', async () => {
  const { ask } = answering(topicMessage(['{"title":"first"}', '{"title":"second"}']), frameOf(['{"title":"third"}']))
  assert.deepEqual(
    (await Promise.all([0, 1, 2].map(ask))).map((each) => [each?.title, each?.source, each?.topic]),
    [
      ['first', 'topic', ORIGIN],
      ['second', 'topic', null],
      ['third', 'webhook', null],
    ],
  )
})

test('an incident that cannot be read is unknown, as it is from the quarantine; its neighbours are answered', async () => {
  const { ask } = answering(frameOf(['{"title":"whole"}', '{"title":', '{"title":"whole too"}']))
  assert.deepEqual(
    (await Promise.all([0, 1, 2].map(ask))).map((each) => each?.title),
    ['whole', undefined, 'whole too'],
  )
})

test('an incident of a damaged frame is unknown', async () => {
  const { ask, disk } = answering(frameOf(['{"title":"disk full"}']))
  assert.equal((await ask(0))?.title, 'disk full')
  const content = Buffer.from(disk.contentOf(segment(1)))
  content.write('DISK', content.indexOf('disk full'))
  disk.put(segment(1), content)
  assert.equal(await ask(0), undefined)
})
