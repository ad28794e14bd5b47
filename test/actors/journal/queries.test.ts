import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalAnswers } from '../../../actors/journal/queries.ts'
import { Quota } from '../../../actors/journal/quota.ts'
import { encodeFrame, readFrameRequests } from '../../../src/domain/frame.ts'
import type { TopicOrigin } from '../../../src/domain/topic.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Disk } from '../../journal/disk.ts'
import { frameOf, openOn, segment } from '../../journal/support.ts'

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
