import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerOf } from '../../../src/domain/frame.ts'
import { incidentId } from '../../../src/domain/incident-id.ts'
import { KeysTaken } from '../../../src/journal/errors.ts'
import { openTableReader } from '../../../src/journal/postgres/reader.ts'
import { compressed } from '../../../src/postgres/compression.ts'
import { bodiesOf, frameOf, newBody } from '../../journal/support.ts'
import { bodiesIn, committedIn, connect, keysOf, newTables, openOn, serverFor } from './support.ts'

test('two journals number their incidents in turn, and a reader has all of them in order', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const { journal: one } = openOn(connection)
  const { journal: other } = openOn(connect(t, url))
  const frames = [frameOf(['{"a":1}', '{"a":2}']), frameOf(['{"a":3}'])]
  one.append(frames)
  other.append([frameOf(['{"b":4}'])])
  one.append([frameOf(['{"a":5}'])])
  assert.equal(one.nextNumber, 6)
  assert.equal(other.nextNumber, 5)
  assert.deepEqual(
    frames.map((frame) => headerOf(frame).first),
    [1, 3],
  )
  assert.deepEqual(
    [...bodiesIn(connection, 1, 5)],
    [
      [1, '{"a":1}'],
      [2, '{"a":2}'],
      [3, '{"a":3}'],
      [4, '{"b":4}'],
      [5, '{"a":5}'],
    ],
  )
})

test('long frames are compressed by LZ4 where the server has it, and read as they were', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  const bodies = Array.from({ length: 32 }, (_, n) =>
    JSON.stringify({ n, text: 'the disk of db-3 is full; '.repeat(40) }),
  )
  journal.append([frameOf(bodies)])
  const { rows } = connection.query(
    `SELECT pg_column_compression(frames), pg_column_size(frames) < octet_length(frames) / 2,
       (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression')
     FROM journal`,
  )
  const [method, isSmall, hasLz4] = rows[0] as readonly [string | null, number, number]
  assert.deepEqual([method, isSmall], hasLz4 === 1 ? ['lz4', 1] : [null, 0])
  assert.deepEqual([...bodiesIn(connection, 1, 32).values()], bodies)
})

test('a server without LZ4 keeps a column as it is', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const attribute = () =>
    connection.query(
      "SELECT attstorage::text, attcompression::text FROM pg_attribute WHERE attrelid = 'journal'::regclass AND attname = 'frames'",
    ).rows[0]
  connection.exec(
    'ALTER TABLE journal ALTER COLUMN frames SET COMPRESSION DEFAULT; ALTER TABLE journal ALTER COLUMN frames SET STORAGE EXTERNAL',
  )
  // PostgreSQL reports a method that it was built without by this SQLSTATE.
  connection.exec(
    compressed('journal', 'frames').replace('SET COMPRESSION lz4', 'SET COMPRESSION lz4; RAISE feature_not_supported'),
  )
  assert.deepEqual(attribute(), ['e', ''])
})

test('a frame is read with the ids and the time that its append answered', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  const frame = frameOf(['{}', '{}'], { 1: { key: 'k' } })
  journal.append([frame])
  const found = journal.find(2)
  assert.equal(found?.damage, undefined)
  const { crc32: _, ...stored } = headerOf(found?.frame as Uint8Array)
  const { crc32: __, ...answered } = headerOf(frame)
  assert.deepEqual(stored, answered)
  assert.deepEqual(keysOf(found?.frame as Uint8Array), keysOf(frame))
  assert.ok(Math.abs(answered.committedAt - Date.now()) < 3_600_000, 'the database has the time of commit')
  assert.equal(journal.find(3), undefined)
})

test('a large append is divided into rows, and is read whole from any number on', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  const bodies = Array.from({ length: 40 }, () => newBody(60_000))
  journal.append(bodies.map((body) => frameOf([body])))
  const rows = connection.query('SELECT count(*), max(octet_length(frames)) FROM journal').rows[0] as number[]
  assert.ok((rows[0] as number) > 8, `${rows[0]} rows`)
  assert.ok((rows[1] as number) <= 256 * 1024)
  for (const from of [1, 2, 7, 40])
    assert.deepEqual([...bodiesIn(connection, from, 40).values()], bodies.slice(from - 1), `from ${from}`)
  const once = openTableReader(connection).read(1, 40)
  const bytes = once.reduce((sum, { frame }) => sum + frame.length, 0)
  assert.ok(bytes >= 1024 * 1024 && bytes <= 1024 * 1024 + 256 * 1024, `${bytes} bytes at once`)
})

test('a frame of several megabytes is one row', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  const body = newBody(5_000_000)
  journal.append([frameOf(['{}']), frameOf([body]), frameOf(['{}'])])
  assert.deepEqual([...bodiesIn(connection, 1, 3).values()], ['{}', body, '{}'])
})

test('missing rows and damaged bytes are returned as such, and all others are read', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  for (let number = 1; number <= 6; number++) journal.append([frameOf([`{"n":${number}}`]), frameOf(['{}'])])
  connection.query('DELETE FROM journal WHERE last IN (4, 6)')
  connection.query("UPDATE journal SET frames = overlay(frames placing '\\xffff'::bytea from 83) WHERE last = 8")
  connection.query("UPDATE journal SET frames = '\\x00'::bytea WHERE last = 10")
  const frames = openTableReader(connection).read(1, 12)
  assert.deepEqual(
    frames.map(({ first, last, damage }) => [first, last, damage?.slice(0, 25)]),
    [
      [1, 1, undefined],
      [2, 2, undefined],
      [3, 6, 'the incidents 3 to 6 are '],
      [7, 7, 'the checksum is wrong (ro'],
      [8, 8, undefined],
      [9, 10, 'no frame begins at byte 0'],
      [11, 11, undefined],
      [12, 12, undefined],
    ],
  )
  assert.deepEqual(bodiesOf(frames[7]?.frame as Uint8Array), [[12, '{}']])
  connection.query('DELETE FROM journal')
  assert.match(openTableReader(connection).read(3, 12)[0]?.damage ?? '', /3 to 12 are missing/)
})

test('a frame of a newer format stops the reader', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  journal.append([frameOf(['{}'])])
  connection.query("UPDATE journal SET frames = overlay(frames placing '\\x0900'::bytea from 5 for 2)")
  assert.throws(() => openTableReader(connection).read(1, 1), { code: 'storage_down', message: /format version 9/ })
})

test('a key of one journal is known to the other, and an append with it changes nothing', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const { journal: one } = openOn(connection)
  const { journal: other } = openOn(connect(t, url))
  const frame = frameOf(['{}', '{}'], { 1: { key: 'k' } })
  one.append([frameOf(['{}']), frame])
  const id = incidentId(headerOf(frame).idPrefix, 3)
  assert.deepEqual([...other.findKeys(['other', 'k'])], [['k', id]])
  assert.throws(() => other.append([frameOf(['{}']), frameOf(['{}'], { 0: { key: 'k' } })]), KeysTaken)
  assert.equal(committedIn(connection), 3)
  assert.deepEqual([...other.findKeys(['k'])], [['k', id]])
  other.append([frameOf(['{}'])])
  assert.equal(other.keyed, 3)
  assert.equal(one.keyed, 3)
})

test('a key of 24 h ago is used again', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  journal.append([frameOf(['{}'], { 0: { key: 'k' } })])
  connection.query('UPDATE journal_keys SET used_at = used_at - 86400000 + 60000')
  assert.equal(journal.findKeys(['k']).size, 1)
  connection.query('UPDATE journal_keys SET used_at = used_at - 60001')
  assert.equal(journal.findKeys(['k']).size, 0)
  journal.append([frameOf(['{}'], { 0: { key: 'k' } })])
  assert.match(journal.findKeys(['k']).get('k') ?? '', /0002$/)
})

test('keys of any text are told apart', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  const keys = [
    "a'b",
    'a"b',
    'a\\b',
    'ä',
    'A',
    'a',
    ' ',
    'k'.repeat(5_000),
    `${'k'.repeat(5_000)}1`,
    '\0',
    '\ud800x',
    '😀',
  ]
  journal.append(keys.map((key) => frameOf(['{}'], { 0: { key } })))
  const found = journal.findKeys([...keys, 'b'])
  assert.deepEqual([...found.keys()], keys)
  assert.equal(new Set(found.values()).size, keys.length)
})

test('incidents that the database has lost are reported, and appends go on', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { connection } = await newTables(t, server)
  const { journal, damage } = openOn(connection)
  for (let n = 0; n < 3; n++) journal.append([frameOf(['{}'])])
  connection.query('DELETE FROM journal WHERE last > 1')
  connection.query('UPDATE journal_head SET next = 2')
  journal.append([frameOf(['{"again":1}'])])
  assert.match(damage[0] ?? '', /lost the incidents 2 to 3/)
  assert.equal(journal.nextNumber, 3)
  assert.deepEqual([...bodiesIn(connection, 2, 2).values()], ['{"again":1}'])
})
