import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'

test('a template that fails or never ends: the message goes out as plain text with the reason, others as rendered', async (t) => {
  const { flow, alert } = await twoChannels(t)
  const dir = folder()
  const template_path = join(dir, 'own.tmpl')
  const endless = '{{ range .rows }}{{ range $.rows }}{{ range $.rows }}{{ end }}{{ end }}{{ end }}'
  writeFileSync(template_path, `${endless}{{ if .list }}{{ index .list 5 }}{{ end }}rendered {{ .ServiceName }}\n`)
  const officechat = { ...alert.officechat, template_path }
  const { url } = await startTestSystem(t, configFile(dir, { alert: { officechat }, templates: { deadline: '300ms' } }))
  const rows = Array.from({ length: 3_000 }, (_, n) => n)
  await post(url, { ServiceName: 'never-ends', title: 'never-ends', rows })
  await post(url, { ServiceName: 'fails', title: 'fails', list: [1] })
  await post(url, { ServiceName: 'is-fine', title: 'is-fine' })
  const textOf = async (name: string) => (await flow.waitFor(({ body }) => body.includes(name))).text
  assert.match(await textOf('is-fine'), /^rendered is-fine/)
  for (const [name, reason] of [
    ['never-ends', /300/],
    ['fails', /own\.tmpl:1/],
  ] as const) {
    const text = await textOf(name)
    assert.doesNotMatch(text, /rendered/)
    assert.match(text, reason)
  }
})
