import assert from 'node:assert/strict'
import test from 'node:test'
import type { PageFile } from '../../src/http/contract.ts'
import { SECRET, serve } from './harness.ts'

const bytes = (text: string) => Buffer.from(text)
const PAGE: PageFile = {
  path: '/',
  type: 'text/html; charset=utf-8',
  tag: 'a1',
  plain: bytes('<!doctype html>'),
  encoded: { br: bytes('as br'), gzip: bytes('as gzip') },
}
const SCRIPT: PageFile = {
  path: '/assets/main-1.js',
  type: 'text/javascript',
  tag: 'b2',
  plain: bytes('run()'),
  encoded: {},
}
const pages = async () => [PAGE, SCRIPT]

test('the page is revalidated every time, its assets are cached for good', async (t) => {
  const { ask } = await serve(t, { pages })
  const page = await ask('/')
  assert.deepEqual([page.status, page.text], [200, '<!doctype html>'])
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(page.headers['cache-control'], 'no-cache')
  const script = await ask('/assets/main-1.js')
  assert.match(script.headers['cache-control'] ?? '', /immutable/)
  assert.equal((await ask('/assets/other.js')).status, 404)
  assert.equal((await ask('/', { method: 'POST' })).status, 405)
})

test('the page may load nothing inline and nothing from other origins', async (t) => {
  const { ask } = await serve(t, { pages })
  const policy = String((await ask('/')).headers['content-security-policy'])
  assert.match(policy, /^default-src 'none';/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
})

test('a file is sent in the best encoding that the client accepts', async (t) => {
  const { ask } = await serve(t, { pages })
  const sent = async (accepts: string) => {
    const { headers, text } = await ask('/', { headers: { 'Accept-Encoding': accepts } })
    assert.equal(headers.vary, 'Accept-Encoding')
    return [headers['content-encoding'], text]
  }
  assert.deepEqual(await sent('gzip, deflate, br'), ['br', 'as br'])
  assert.deepEqual(await sent('gzip'), ['gzip', 'as gzip'])
  assert.deepEqual(await sent('br;q=0, gzip;q=0.5'), ['gzip', 'as gzip'])
  assert.deepEqual(await sent('zstd'), [undefined, '<!doctype html>'])
})

test('a client that has the file is answered 304', async (t) => {
  const { ask } = await serve(t, { pages })
  const { etag = '' } = (await ask('/')).headers
  const again = await ask('/', { headers: { 'If-None-Match': `"other", ${etag}` } })
  assert.deepEqual([again.status, again.text], [304, ''])
  const packed = await ask('/', { headers: { 'If-None-Match': etag, 'Accept-Encoding': 'br' } })
  assert.equal(packed.status, 200)
})

test('HEAD has the headers and no body', async (t) => {
  const { ask } = await serve(t, { pages })
  for (const round of ['while it is loaded', 'afterwards']) {
    const head = await ask('/', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '15'], round)
  }
})

test('without a gateway secret there is no dashboard, and a reload brings it', async (t) => {
  const { ask, front } = await serve(t, { pages, gatewaySecret: '' })
  for (const path of ['/', '/assets/main-1.js']) assert.equal((await ask(path)).status, 404, path)
  assert.equal((await ask('/', { method: 'POST' })).status, 404)
  const settings = { maxBodyBytes: 1024, intakeToken: '', parameters: { targets: {}, strict: false } }
  front.reload({ ...settings, gatewaySecret: SECRET })
  assert.equal((await ask('/')).status, 200)
})

test('the dashboard is loaded at the first request, and again after a failure', async (t) => {
  let loads = 0
  const { ask, errors } = await serve(t, {
    async pages() {
      if (++loads === 1) throw new Error('no bundle')
      return [PAGE]
    },
  })
  assert.equal(loads, 0)
  assert.equal((await ask('/')).status, 500)
  assert.equal(errors.length, 1)
  const both = await Promise.all([ask('/'), ask('/')])
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  assert.equal(loads, 2)
})
