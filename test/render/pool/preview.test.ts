import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelWith, item, items, MAIL, PLAIN, raw } from './setup.ts'

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
