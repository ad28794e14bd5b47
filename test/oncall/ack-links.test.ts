import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { existingKey, openKey } from '../../src/oncall/ack-key.ts'
import { checkLink, linkPath, problemIn } from '../../src/oncall/ack-links.ts'
import { folder } from '../harness/config-file.ts'
import { NOW } from './setup.ts'

const KEY = randomBytes(32)
const DAY_MS = 24 * 3_600_000

/** The link's parts as a request gives them. */
function linkOf(id: string, createdAt = NOW, key: Uint8Array = KEY, problem: number | undefined = 7) {
  const url = new URL(linkPath(key, { id, createdAt, problem }), 'http://localhost')
  return { id: decodeURIComponent(url.pathname.split('/').at(-1) ?? ''), query: url.search.slice(1) }
}

test('a link works until it expires, and is the same each time it is made', () => {
  const link = linkOf('an-id')
  assert.deepEqual(linkOf('an-id'), link)
  assert.equal(checkLink(KEY, link, NOW), 'valid')
  assert.equal(checkLink(KEY, link, NOW + 7 * DAY_MS - 1_000), 'valid')
  assert.equal(checkLink(KEY, link, NOW + 7 * DAY_MS), 'expired')
})

test('a link names the problem of its incident, and one of an earlier version without it works too', () => {
  const { query } = linkOf('an-id')
  assert.equal(problemIn(query), 7)
  const url = new URL(linkPath(KEY, { id: 'an-id', createdAt: NOW }), 'http://localhost')
  const old = { id: 'an-id', query: url.search.slice(1) }
  assert.deepEqual([checkLink(KEY, old, NOW), problemIn(old.query)], ['valid', undefined])
})

test('a link with any change is forged', () => {
  const id = fc.uuid()
  const change = fc.oneof(
    fc.record({ part: fc.constant('id' as const), to: fc.string({ minLength: 1 }) }),
    fc.record({ part: fc.constant('exp' as const), to: fc.oneof(fc.string(), fc.nat().map(String)) }),
    fc.record({ part: fc.constant('problem' as const), to: fc.oneof(fc.string(), fc.nat().map(String)) }),
    fc.record({ part: fc.constant('sig' as const), to: fc.oneof(fc.string(), fc.constant('0'.repeat(64))) }),
    fc.record({ part: fc.constant('key' as const), to: fc.string() }),
  )
  const property = fc.property(id, change, (uuid, { part, to }) => {
    const { id: own, query } = linkOf(uuid)
    const given = new URLSearchParams(query)
    if (part === 'id') return to === own || checkLink(KEY, { id: to, query }, NOW) === 'forged'
    if (part === 'key') return checkLink(Buffer.from(to), { id: own, query }, NOW) === 'forged'
    if (given.get(part) === to) return true
    given.set(part, to)
    return checkLink(KEY, { id: own, query: given.toString() }, NOW) === 'forged'
  })
  fc.assert(property, { seed: 7, numRuns: 500 })
})

test('a link of one purpose is forged for the others', () => {
  const paths = { ack: '/api/ack', answer: '/api/answer', page: '/api/ack/page' } as const
  const purposes = Object.keys(paths) as (keyof typeof paths)[]
  for (const purpose of purposes) {
    const url = new URL(linkPath(KEY, { id: 'an-id', createdAt: NOW }, purpose), 'http://localhost')
    assert.equal(url.pathname, `${paths[purpose]}/an-id`)
    const link = { id: 'an-id', query: url.search.slice(1) }
    assert.equal(checkLink(KEY, { ...link, purpose }, NOW), 'valid')
    for (const other of purposes.filter((each) => each !== purpose))
      assert.equal(checkLink(KEY, { ...link, purpose: other }, NOW), 'forged')
  }
})

test('a link with a part missing, twice or in capitals is forged', () => {
  const { id, query } = linkOf('an-id')
  const [exp, problem, sig] = query.split('&')
  const twice = [exp, problem, sig].map((part) => `${query}&${part}`)
  for (const odd of ['', exp, sig, `${exp}&${sig}`, ...twice, query.toUpperCase(), `${query}0`])
    assert.equal(checkLink(KEY, { id, query: odd ?? '' }, NOW), 'forged', odd)
})

test('the key is created once, readable for its owner alone, and outlives a restart', () => {
  const dir = folder()
  const later = existingKey(dir)
  assert.equal(later(), undefined)
  const key = openKey(dir)
  assert.equal(key.length, 32)
  assert.deepEqual([openKey(dir), later()], [key, key])
  assert.equal(statSync(join(dir, 'ack.key')).mode & 0o777, 0o600)
  assert.notDeepEqual(openKey(folder()), key)
})

test('a key that was replaced counts at once, and one that was deleted goes on to', () => {
  const dir = folder()
  const path = join(dir, 'ack.key')
  const existing = existingKey(dir)
  openKey(dir)
  existing()
  const restored = Buffer.alloc(32, 7)
  writeFileSync(path, restored)
  assert.deepEqual(existing(), restored)
  rmSync(path)
  assert.deepEqual(existing(), restored)
})

test('a key file of another size is refused with advice, and not changed', () => {
  const dir = folder()
  const path = join(dir, 'ack.key')
  writeFileSync(path, 'short')
  assert.throws(() => openKey(dir), {
    code: 'storage_down',
    message: /does not hold 32 bytes: restore the right file/,
  })
  assert.equal(readFileSync(path, 'utf8'), 'short')
})

test('a key that cannot be created is an error with its path', () => {
  const dir = folder()
  if (process.getuid?.() === 0) {
    assert.throws(() => openKey(join(dir, 'missing')), { code: 'storage_down', message: /missing\/ack\.key/ })
    return
  }
  chmodSync(dir, 0o500)
  assert.throws(() => openKey(dir), { code: 'storage_down', message: /ack\.key/ })
  chmodSync(dir, 0o700)
})
