import assert from 'node:assert/strict'
import { test } from 'node:test'
import { given, item, items, PLAIN, raw } from './pool-given.ts'

const source = (text: string) => ({ file: 'given.tmpl', text })

test('a preview renders with the template of the channel or with a given one', async () => {
  const { pool } = given({ chat: 'own {{.n}}' })
  assert.deepEqual(await pool.preview('chat', item({ n: 1 })), { text: 'own 1', warnings: [] })
  assert.deepEqual(await pool.preview('chat', item({ n: 1 }), source('given {{.n}}')), {
    text: 'given 1',
    warnings: [],
  })
  assert.equal((await pool.render('chat', items(1)))[0]?.text, 'own 0')
})

test('a preview of a template that does not parse is refused with its place', async () => {
  const { pool } = given()
  await assert.rejects(pool.preview('chat', item({}), source('a\nb {{ if .n }}')), {
    code: 'template_invalid',
    message: /given\.tmpl:2:/,
  })
})

test('a preview warns of a text that was cut and of a template that failed', async () => {
  const { pool, faults } = given({ chat: '{{.long}}', rules: { ...PLAIN, limit: { max: 200, unit: 'utf16' } } })
  const cut = await pool.preview('chat', item({ long: 'x'.repeat(1_000) }))
  assert.match(cut.warnings.join(), /cut/)
  const failed = await pool.preview('chat', raw('{'))
  assert.match(failed.warnings.join(), /^template_failed: /)
  assert.match(failed.text, /Disk full/)
  assert.deepEqual(faults, [])
})

test('a preview of a mail has its subject', async () => {
  const { pool } = given({ mail: 'Subject: {{.n}}\nbody' })
  assert.deepEqual(await pool.preview('mail', item({ n: 1 })), { text: 'body', subject: '1', warnings: [] })
})
