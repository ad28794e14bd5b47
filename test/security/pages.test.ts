import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openapi } from '../../src/http/openapi/document.ts'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { admin, post, SECRET } from '../harness/net/requests.ts'
import { startStandIn } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

const ROOT = join(import.meta.dirname, '../..')
const HOSTILE = '</title><script>alert(1)</script><img src=x onerror=alert(1)>"\'><b>'
const PUBLIC = 'https://tocsin.example.test'

/** A service with a dashboard, a hostile incident, and the link that acknowledges it. */
async function given(t: TestContext, answers: object = {}) {
  const chat = await startStandIn(t, 'chatws')
  const chatws = { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST }
  const webhook = { url: `${chat.url}/page` }
  const file = configFile(folder(), {
    ...{ alert: { chatws }, answers },
    public_host: PUBLIC,
    oncall: { enable: true, wait_minutes: 60, provider: 'webhook', webhook },
  })
  const { url } = await startTestSystem(t, file)
  const answer = await post(url, { title: HOSTILE, service: HOSTILE, severity: 'critical' })
  const { body } = await chat.waitFor(({ body }) => /\/api\/(?:ack|answer)\//.test(body))
  const link = /https:\/\/tocsin\.example\.test(\/api\/(?:ack|answer)\/[^"\\]+)/.exec(body)?.[1] ?? ''
  return { url, link, id: answer.headers.get('x-incident-id') ?? '' }
}

test('no answer may be framed, guessed at or reported on, and no page runs anything but its own files', async (t) => {
  const { url, link, id } = await given(t)
  const form = { method: 'POST', body: new URLSearchParams({ name: HOSTILE }) }
  const asked: readonly (readonly [path: string, init?: RequestInit])[] = [
    ['/'],
    ['/', { method: 'HEAD' }],
    ['/assets/none.js'],
    [link],
    [link.replace(/sig=./, 'sig=x')],
    [link.replace(id, 'another')],
    [link, { method: 'POST', body: 'a text' }],
    [link, form],
    [link, form],
    [link],
    ['/api/admin/stats'],
    ['/api/admin/stats', { headers: { 'X-Gateway-Secret': SECRET } }],
    [`/api/admin/incidents/${id}`, { headers: { 'X-Gateway-Secret': SECRET } }],
    ['/api/openapi.json'],
    ['/metrics'],
    ['/healthz'],
    ['/nosuch'],
    ['/api/incidents', { method: 'POST', body: '{' }],
    ['/api/incidents', { method: 'OPTIONS' }],
  ]
  let pages = 0
  for (const [path, init] of asked) {
    const { headers, status } = await fetch(url + path, init)
    const what = `${init?.method ?? 'GET'} ${path}: ${status}`
    assert.equal(headers.get('x-frame-options'), 'DENY', what)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', what)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', what)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none';.*frame-ancestors 'none'/, what)
    assert.doesNotMatch(policy, /unsafe|\*|https?:|script-src (?!'self')/, what)
    if (/html/.test(headers.get('content-type') ?? '')) pages++
  }
  assert.ok(pages >= 8, `${pages} pages`)
})

test('no text of an incident or a person becomes markup in a page that is made here', async (t) => {
  const { url, link } = await given(t)
  const form = { method: 'POST', body: new URLSearchParams({ name: HOSTILE }) }
  for (const init of [{}, form, {}]) {
    const page = await (await fetch(url + link, init)).text()
    assert.match(page, /&lt;script&gt;/)
    assert.doesNotMatch(page, /<script|<img|<b>|onerror=[^&]*>/i)
  }
  const { incidents } = await admin<{ incidents: { acked_by: string }[] }>(url, '/api/admin/incidents')
  assert.ok(incidents[0]?.acked_by.startsWith('</title>'), 'it is kept as it was said')
})

test('no text of an incident or a person becomes markup in the page of answers, and nothing may frame it', async (t) => {
  const { url, link, id } = await given(t, { links: true })
  const asked = await (await fetch(url + link)).text()
  const token = /value="(1a\.[^"]+)"/.exec(asked)?.[1] ?? ''
  const form = { method: 'POST', body: new URLSearchParams({ token, name: HOSTILE }) }
  for (const init of [{}, form, form, {}]) {
    const answer = await fetch(url + link, init)
    const page = await answer.text()
    assert.match(page, /&lt;script&gt;/)
    assert.doesNotMatch(page, /<script|<img|<b>|onerror=[^&]*>/i)
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none';.*frame-ancestors 'none'/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  }
  const { acked_by } = await admin<{ acked_by: string }>(url, `/api/admin/incidents/${id}`)
  assert.match(acked_by, /alert 1 .*\(link\)$/)
})

test('the dashboard gives no text to the browser as markup or as a program', () => {
  const files = globSync('static/**/*.{ts,tsx,html}', { cwd: ROOT })
  assert.ok(files.length > 50)
  const raw =
    /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcdoc|\beval\(|new Function|setHTMLUnsafe|createContextualFragment/
  const found = files.filter((file) => raw.test(readFileSync(join(ROOT, file), 'utf8')))
  assert.deepEqual(found, [])
})

test('nothing is handed out in a form that a spreadsheet opens as formulas', () => {
  const { paths } = openapi('1.2.3') as { paths: { [path: string]: { [method: string]: Described } } }
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const types = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content = {} }) => Object.keys(content)),
  )
  assert.deepEqual([...new Set(types)].sort(), ['application/json', 'text/calendar', 'text/html', 'text/plain'])
})
interface Described {
  readonly responses: { readonly [status: string]: { readonly content?: { readonly [type: string]: unknown } } }
}
