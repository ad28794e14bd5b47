import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { channelWith, item, items, MAIL, PLAIN, raw, setup, template } from './setup.ts'

const SHORT = { ...PLAIN, limit: { max: 200, unit: 'utf16' } } as const

test('results have the order of the items, across batches', async () => {
  const { pool } = setup({ templates: [template('chat', 'no. {{.n}}')], threads: 2 })
  const rendered = await pool.render('chat', items(300))
  assert.deepEqual(
    rendered.map(({ text, failure }) => ({ text, failure })),
    Array.from({ length: 300 }, (_, n) => ({ text: `no. ${n}`, failure: undefined })),
  )
  assert.deepEqual(await pool.render('chat', []), [])
})

test('payloads larger than the batch limit are rendered', async () => {
  const large = Array.from({ length: 5 }, (_, n) => item({ n, padding: 'x'.repeat(700_000) }))
  const rendered = await (await channelWith('{{.n}}')).render(large)
  assert.deepEqual(
    rendered.map(({ text }) => text),
    ['0', '1', '2', '3', '4'],
  )
})

test('AckURL is that of the item and never that of the payload', async () => {
  const forged = { AckURL: 'https://elsewhere.example.net' }
  const rendered = await (await channelWith('[{{.AckURL}}]')).render([
    item(forged, 'https://t.example.net/ack/1'),
    item(forged),
  ])
  assert.deepEqual(
    rendered.map(({ text }) => text),
    ['[https://t.example.net/ack/1]', '[]'],
  )
})

test('the facts of the incident replace a field Tocsin of the payload', async () => {
  const channel = await channelWith('{{ toJson .Tocsin }}{{ .Tocsin.forged }}')
  const [rendered] = await channel.render([item({ Tocsin: { title: 'x', forged: 'y' } })])
  assert.deepEqual(JSON.parse(rendered?.text ?? ''), {
    id: 'i-1',
    title: 'Disk full',
    service: 'orders',
    severity: 'high',
    rank: 1,
    status: 'firing',
    sender: 'grouped_alerts',
    source: 'webhook',
    created_at: '1970-01-01T00:00:00.000Z',
  })
})

test('a template reads only the environment that the pool was given', async () => {
  process.env.TOCSIN_TEST_HIDDEN = 'hidden'
  const channel = await channelWith('{{env "REGION"}}|{{env "TOCSIN_TEST_HIDDEN"}}|{{env "toString"}}')
  assert.equal((await channel.render([item({})]))[0]?.text, 'north||')
})

test('a payload that is not JSON makes only its own message plain text', async () => {
  const { pool, failures } = setup({ templates: [template('chat', 'ok {{.n}}')] })
  const rendered = await pool.render('chat', [item({ n: 1 }), raw('{"n":'), item({ n: 2 })])
  assert.equal(rendered[0]?.text, 'ok 1')
  assert.match(rendered[1]?.failure ?? '', /^template_failed: /)
  assert.match(rendered[1]?.text ?? '', /Disk full/)
  assert.equal(rendered[2]?.text, 'ok 2')
  assert.deepEqual(failures, [`chat ${rendered[1]?.failure}`])
})

test('a template that does not parse yields plain text', async () => {
  const { pool } = setup({ templates: [template('chat', 'a {{ if .n }}')] })
  const rendered = await pool.render('chat', items(2))
  for (const { text, failure } of rendered) {
    assert.match(failure ?? '', /^template_invalid: chat\.tmpl:1:/)
    assert.match(text, /Disk full/)
  }
})

test('a text is fitted to the limit of its channel and names the incident', async () => {
  const [rendered] = await (await channelWith('{{.long}}', SHORT)).render([item({ long: 'x'.repeat(10_000) })])
  assert.ok(rendered && rendered.text.length <= SHORT.limit.max)
  assert.match(rendered.text, /^x{50}.*tocsin\.example\.net.*i-1$/s)
  assert.equal(rendered.failure, undefined)
})

test('a replaced template is used from the next call on', async () => {
  const channel = await channelWith('old {{.n}}')
  const before = channel.render(items(1))
  await channel.replace('new {{.n}}')
  assert.equal((await before)[0]?.text, 'old 0')
  assert.equal((await channel.render(items(1)))[0]?.text, 'new 0')
})

test('a template that does not parse is not taken into use, and the error names the place', async () => {
  const channel = await channelWith('old {{.n}}')
  await assert.rejects(channel.replace('\n{{ if .n }}'), {
    code: 'template_invalid',
    message: /^channel-\d+\.tmpl:2:\d+: [^\n]+\n {2}\{\{ if \.n \}\}\n +\^$/,
  })
  assert.equal((await channel.render(items(1)))[0]?.text, 'old 0')
})

test('a channel without a template is refused', async () => {
  const { pool } = setup()
  await assert.rejects(pool.render('fax', items(1)), { code: 'not_found' })
  await assert.rejects(pool.preview('fax', item({})), { code: 'not_found' })
})

test('a closed pool rejects, and running renderings end', async () => {
  const { pool } = setup({ templates: [template('chat', '{{.n}}')] })
  const running = pool.render('chat', items(1))
  const waiting = assert.rejects(pool.render('chat', items(1)), { code: 'shutting_down' })
  await pool.close()
  await assert.rejects(pool.render('chat', items(1)), { code: 'shutting_down' })
  assert.equal((await running)[0]?.text, '0')
  await waiting
  await pool.close()
})

test('a thread is started before the first message, and renders it', async () => {
  const threads: unknown[] = []
  const note = (thread: unknown) => threads.push(thread)
  process.on('worker', note)
  const started = once(process, 'worker')
  const { pool } = setup({ templates: [template('chat', '{{.n}}')] })
  await started
  assert.equal((await pool.render('chat', items(1)))[0]?.text, '0')
  assert.equal(threads.length, 1)
  process.off('worker', note)
})

test('items of a route have its template, in their order, and the own one when it is not loaded', async () => {
  const { pool } = setup()
  await pool.use(template('chat', 'own {{.n}}'))
  const source = { file: 'routes/a.tmpl', text: 'route {{.n}}' }
  await pool.use({ ...template('chat', ''), source, only: 'route' })
  const chosen = [undefined, source.file, source.file, undefined, 'routes/gone.tmpl', source.file]
  const given = items(6).map((each, n) => ({ ...each, ...(chosen[n] !== undefined && { template: chosen[n] }) }))
  const texts = (rendered: readonly { readonly text: string }[]) => rendered.map(({ text }) => text)
  assert.deepEqual(texts(await pool.render('chat', given)), [
    'own 0',
    'route 1',
    'route 2',
    'own 3',
    'own 4',
    'route 5',
  ])
  await pool.use({ ...template('chat', ''), source: { ...source, text: 'edited {{.n}}' }, only: 'route' })
  assert.deepEqual(texts(await pool.render('chat', given.slice(0, 2))), ['own 0', 'edited 1'])
})

test('a preview renders with the template of the channel or with a given one', async () => {
  const channel = await channelWith('own {{.n}}')
  assert.deepEqual(await channel.preview(item({ n: 1 })), { text: 'own 1', warnings: [] })
  assert.deepEqual(await channel.preview(item({ n: 1 }), 'given {{.n}}'), { text: 'given 1', warnings: [] })
  assert.equal((await channel.render(items(1)))[0]?.text, 'own 0')
})

test('a preview of a template that does not parse is rejected with the position', async () => {
  await assert.rejects((await channelWith('')).preview(item({}), 'a\nb {{ if .n }}'), {
    code: 'template_invalid',
    message: /^channel-\d+\.tmpl:2:/,
  })
})

test('a preview warns of a text that was cut and of a template that failed', async () => {
  const channel = await channelWith('{{.long}}', { ...PLAIN, limit: { max: 200, unit: 'utf16' } })
  const cut = await channel.preview(item({ long: 'x'.repeat(1_000) }))
  assert.match(cut.warnings.join(), /cut/)
  const failed = await channel.preview(raw('{'))
  assert.match(failed.warnings.join(), /^template_failed: /)
  assert.match(failed.text, /Disk full/)
})

test('a preview of a mail has its subject', async () => {
  const channel = await channelWith('Subject: {{.n}}\nbody', MAIL)
  assert.deepEqual(await channel.preview(item({ n: 1 })), { text: 'body', subject: '1', warnings: [] })
})

test('a notice keeps its last line when it is cut', async () => {
  const { render } = await channelWith('unused')
  const notice = { kind: 'follow-up', word: 'noted', by: 'Ada', title: 'Disk full', text: 'n'.repeat(5_000) } as const
  const [rendered] = await render([{ ...item({}), notice, lastLine: '✅ Acknowledged by Ada 03:14 UTC' }])
  assert.ok((rendered?.text.length ?? 0) <= 4_000)
  assert.match(rendered?.text ?? '', /cut, .*\n✅ Acknowledged by Ada 03:14 UTC$/s)
})
