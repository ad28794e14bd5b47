import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { CHANNELS } from '../../src/channels/index.ts'
import type { SiteFile } from '../../src/dashboard/manifest.ts'
import { openSite } from '../../src/dashboard/site.ts'
import { type DigestNotice, digestHeadline } from '../../src/domain/delivery/notice.ts'
import { digestText } from '../../src/render/text/digest-text.ts'
import { headlineOf } from '../../static/preview/headline.ts'

const MAX_TRANSFER_BYTES = 168_000

/** Bundled once, because it takes a second. */
let files: readonly SiteFile[]
const dir = mkdtempSync(join(tmpdir(), 'tocsin-test-'))
const cache = join(dir, 'dashboard')
const open = () => openSite(dir, join(dir, 'nothing built ahead'))
before(async () => {
  const old = join(cache, 'of-another-version')
  mkdirSync(old, { recursive: true })
  utimesSync(old, 0, 0)
  files = await open()
})
after(() => rmSync(dir, { recursive: true, force: true }))

const text = (file: SiteFile | undefined) => Buffer.from(file?.plain ?? []).toString()
const page = () => text(files.find(({ path }) => path === '/'))

test('the page names its files by a hash of their content, and every file exists', () => {
  const named = [...page().matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  assert.equal(named.length, 3)
  for (const path of named)
    assert.ok(
      files.some((file) => file.path === path),
      path,
    )
  assert.doesNotMatch(page(), /<style|style=|<script(?![^>]* src=)| on\w+=/)
})

test('compressed forms have the same content as the plain ones', () => {
  for (const { path, plain, encoded } of files) {
    const { br, gzip } = encoded
    if (br) assert.deepEqual(brotliDecompressSync(br), Buffer.from(plain), path)
    if (gzip) assert.deepEqual(gunzipSync(gzip), Buffer.from(plain), path)
  }
})

test('a first visit transfers less than 168 kB, whichever encoding the browser takes', () => {
  for (const encoding of ['br', 'gzip'] as const) {
    const sizes = files.map(({ plain, encoded }) => (encoded[encoding] ?? plain).length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(total < MAX_TRANSFER_BYTES, `${encoding}: ${total} bytes`)
  }
})

test('the bundle has no code of the service and no address of another host', () => {
  const script = text(files.find(({ type }) => type.startsWith('text/javascript')))
  assert.doesNotMatch(script, /node:|uWebSockets|sqlite/i)
  const style = text(files.find(({ type }) => type.startsWith('text/css')))
  assert.doesNotMatch(style, /url\((?!"?(\/assets\/|data:))/)
})

test('a bundle is kept for the next start, and bundles of other sources are deleted', async () => {
  const [kept, ...others] = readdirSync(cache)
  assert.deepEqual(others, [])
  const manifest = join(cache, kept ?? '', 'manifest.json')
  const written = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, written.replaceAll(/"tag":"\w+"/g, '"tag":"kept"'))
  assert.deepEqual([...new Set((await open()).map(({ tag }) => tag))], ['kept'])
})

test('processes that bundle into one directory at the same time do not disturb each other', async () => {
  const [kept = ''] = readdirSync(cache)
  rmSync(join(cache, kept, 'manifest.json'))
  const draft = join(cache, 'of-another-process.17')
  mkdirSync(draft)
  const [one, other] = await Promise.all([open(), open()])
  assert.deepEqual(one, other)
  assert.ok(one.every(({ tag }) => tag !== 'kept'))
  assert.ok(readdirSync(cache).includes(basename(draft)))
})

const NOTICE: DigestNotice = {
  kind: 'digest',
  digest: 17,
  revision: 3,
  phase: 'open',
  mayRepeat: true,
  firstAt: 0,
  lastAt: 1_000,
  counts: [{ word: 'critical', alerts: 1_240, singly: 0, waiting: 0 }],
  added: 3,
  problems: 1,
  firing: 1,
  shown: [],
  others: { problems: 0, services: 0, top: [] },
}

test('the headline of a digest is read from its text in the markup of every channel', () => {
  for (const { text } of Object.values(CHANNELS))
    assert.equal(headlineOf(digestText(NOTICE, text, 'https://tocsin.example.net').text), digestHeadline(NOTICE))
})
