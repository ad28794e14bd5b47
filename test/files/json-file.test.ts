import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openJsonFile } from '../../src/files/json-file.ts'
import { freshDir } from '../store/support.ts'

function given(t: TestContext) {
  const dir = freshDir(t)
  mkdirSync(dir, { recursive: true })
  const aside: string[][] = []
  const file = openJsonFile({ dir, name: 'a.json', now: () => 0, setAside: (...names) => aside.push(names) })
  return { dir, path: join(dir, 'a.json'), file, aside }
}

test('a document is stored as it was saved, readable by its owner only, without other files', (t) => {
  const { dir, path, file } = given(t)
  assert.equal(file.load(), undefined)
  file.save({ a: 1 })
  file.save({ a: 2 })
  assert.deepEqual(file.load(), { a: 2 })
  assert.deepEqual(readdirSync(dir), ['a.json'])
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a file that is torn or holds no object is set aside, reported and kept', (t) => {
  for (const torn of ['{"patterns":{"p1":{"id":', '', '[1]', 'null']) {
    const { dir, path, file, aside } = given(t)
    writeFileSync(path, torn)
    assert.equal(file.load(), undefined)
    const [[name, as] = []] = aside
    assert.equal(name, 'a.json')
    assert.equal(readFileSync(join(dir, as ?? ''), 'utf8'), torn)
    file.save({ a: 1 })
    assert.deepEqual(file.load(), { a: 1 })
  }
})

test('a document half written by a killed process is ignored', (t) => {
  const { path, file } = given(t)
  file.save({ a: 1 })
  writeFileSync(`${path}.tmp`, '{"a":2')
  assert.deepEqual(file.load(), { a: 1 })
  file.save({ a: 3 })
  assert.deepEqual(file.load(), { a: 3 })
})

test('a refused save leaves the old document and throws a code', (t) => {
  const { path, file } = given(t)
  file.save({ a: 1 })
  mkdirSync(`${path}.tmp`)
  assert.throws(() => file.save({ a: 2 }), { code: 'storage_down' })
  assert.deepEqual(file.load(), { a: 1 })
})
