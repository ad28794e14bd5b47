import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Named {
  readonly file: string
  readonly title: string
}
const document = read('docs/threat-model.md')
const namedIn = (text: string): Named[] =>
  Array.from(text.matchAll(/^- `(test\/[\w./-]+\.test\.ts)`: (.+)$/gm), ([, file = '', title = '']) => ({
    file,
    title,
  }))
const named = namedIn(document)
const keyOf = ({ file, title }: Named) => `${file}: ${title}`

/** Titles as they are written, what varies as …. */
function titlesIn(file: string): string[] {
  const calls = read(file).matchAll(/\b(?:test|it)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g)
  return Array.from(calls, ([, single, double, template]) =>
    (single ?? double ?? template ?? '').replace(/\$\{[^}]*\}/g, '…').replace(/\\(['"])/g, '$1'),
  )
}

test('every test that the threat model names exists', () => {
  assert.ok(named.length > 80, `${named.length} tests`)
  const titles = new Map(named.map(({ file }) => [file, titlesIn(file)]))
  const missing = named.filter(({ file, title }) => !titles.get(file)?.includes(title))
  assert.deepEqual(missing.map(keyOf), [])
})

test('every threat has a test, and none is named twice in one', () => {
  const threats = document.split(/^### /m).slice(1)
  assert.ok(threats.length > 25)
  for (const threat of threats) {
    const heading = threat.slice(0, threat.indexOf('\n'))
    const keys = namedIn(threat).map(keyOf)
    assert.ok(keys.length > 0, heading)
    assert.equal(new Set(keys).size, keys.length, heading)
  }
})

test('every test against an attack is named in the threat model', () => {
  const files = globSync('test/security/*.test.ts', { cwd: ROOT })
  const all = files.flatMap((file) => titlesIn(file).map((title) => keyOf({ file, title })))
  const known = new Set(named.map(keyOf))
  assert.deepEqual(
    all.filter((each) => !known.has(each)),
    [],
  )
})

test('the README leads to the threat model', () => {
  assert.match(read('README.md'), /\]\(docs\/threat-model\.md\)/)
})
