import assert from 'node:assert/strict'
import { test } from 'node:test'
import { given, item, items, PLAIN, raw, template } from './pool-given.ts'

test('results come in the order of the items, however many batches they make', async () => {
  const { pool } = given({ chat: 'no. {{.n}}', threads: 2 })
  const rendered = await pool.render('chat', items(300))
  assert.deepEqual(
    rendered.map(({ text, fault }) => ({ text, fault })),
    Array.from({ length: 300 }, (_, n) => ({ text: `no. ${n}`, fault: undefined })),
  )
  assert.deepEqual(await pool.render('chat', []), [])
})

test('payloads larger than a batch are rendered too', async () => {
  const { pool } = given({ chat: '{{.n}}' })
  const large = Array.from({ length: 5 }, (_, n) => item({ n, padding: 'x'.repeat(700_000) }))
  assert.deepEqual(
    (await pool.render('chat', large)).map(({ text }) => text),
    ['0', '1', '2', '3', '4'],
  )
})

test('the address to acknowledge is in the data, for the items that have one', async () => {
  const { pool } = given({ chat: '[{{.AckURL}}]' })
  const rendered = await pool.render('chat', [item({}, 'https://t.example.net/ack/1'), item({})])
  assert.deepEqual(
    rendered.map(({ text }) => text),
    ['[https://t.example.net/ack/1]', '[]'],
  )
})

test('a template reads the environment it was given and no other', async () => {
  process.env.TOCSIN_TEST_HIDDEN = 'hidden'
  const { pool } = given({
    chat: '{{env "REGION"}}|{{env "TOCSIN_TEST_HIDDEN"}}|{{env "toString"}}',
    env: { REGION: 'north' },
  })
  assert.equal((await pool.render('chat', [item({})]))[0]?.text, 'north||')
})

test('a payload that is not JSON costs its own message the template and nothing else', async () => {
  const { pool, faults } = given({ chat: 'ok {{.n}}' })
  const rendered = await pool.render('chat', [item({ n: 1 }), raw('{"n":'), raw('null'), item({ n: 2 })])
  assert.equal(rendered[0]?.text, 'ok 1')
  assert.match(rendered[1]?.fault ?? '', /^template_failed: /)
  assert.match(rendered[1]?.text ?? '', /Disk full/)
  assert.equal(rendered[3]?.text, 'ok 2')
  assert.match(faults[0] ?? '', /^chat template_failed: /)
})

test('a template that does not parse yields plain text', async () => {
  const { pool } = given({ chat: 'a {{ if .n }}' })
  const rendered = await pool.render('chat', items(2))
  for (const { text, fault } of rendered) {
    assert.match(fault ?? '', /^template_invalid: chat\.tmpl:1:/)
    assert.match(text, /Disk full/)
  }
})

test('a text is fitted to the limit of its channel and points to the incident', async () => {
  const { pool } = given({ chat: '{{.long}}', rules: { ...PLAIN, limit: { max: 200, unit: 'utf16' } } })
  const [rendered] = await pool.render('chat', [item({ long: 'x'.repeat(10_000) })])
  assert.ok(rendered && rendered.text.length <= 200)
  assert.match(rendered.text, /^x{50}.*tocsin\.example\.net.*i-1$/s)
  assert.equal(rendered.fault, undefined)
})

test('a replaced template is used from the next call on', async () => {
  const { pool } = given({ chat: 'old {{.n}}' })
  const before = pool.render('chat', items(1))
  pool.replace(template('chat', 'new {{.n}}'))
  assert.equal((await before)[0]?.text, 'old 0')
  assert.equal((await pool.render('chat', items(1)))[0]?.text, 'new 0')
})

test('a channel without a template is refused', async () => {
  const { pool } = given()
  await assert.rejects(pool.render('fax', items(1)), { code: 'not_found' })
  await assert.rejects(pool.preview('fax', item({})), { code: 'not_found' })
})

test('a closed pool refuses, and what was under way ends', async () => {
  const { pool } = given({ chat: '{{.n}}' })
  const underWay = pool.render('chat', items(1))
  const waiting = assert.rejects(pool.render('chat', items(1)), { code: 'shutting_down' })
  await pool.close()
  await assert.rejects(pool.render('chat', items(1)), { code: 'shutting_down' })
  assert.equal((await underWay)[0]?.text, '0')
  await waiting
  await pool.close()
})
