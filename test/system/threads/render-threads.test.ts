import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { auditedProvider } from '../../harness/audit/audited-provider.ts'
import { Ledger } from '../../harness/audit/ledger.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const ENDLESS = '{{ range .rows }}{{ range $.rows }}{{ range $.rows }}{{ end }}{{ end }}{{ end }}'

test('render threads are killed under load: their incidents arrive as plain text, all others as rendered', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const dir = folder()
  const template_path = join(dir, 'endless.tmpl')
  writeFileSync(template_path, `${ENDLESS}rendered {{ .ServiceName }}\n`)
  const config = {
    alert: { ...alert, officechat: { ...alert.officechat, template_path } },
    templates: { deadline: '1s' },
  }
  const { url } = await startTestSystem(t, configFile(dir, config))
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const ledger = new Ledger()
  const load = ledger.load(url, new AbortController().signal, 400)
  const rows = Array.from({ length: 3_000 }, (_, n) => n)
  const kills = [50, 150, 250]
  for (const accepted of kills) {
    await until(() => ledger.accepted.size >= accepted)
    await post(url, { ServiceName: `endless-${accepted}`, rows })
  }
  await load
  await ledger.audit(url, providers)
  for (const accepted of kills) {
    const { body } = await flow.waitFor((request) => request.body.includes(`endless-${accepted}`))
    assert.doesNotMatch(body, /rendered endless/)
  }
  assert.ok(flow.requests.every(({ body }) => body.includes('endless') || body.includes('rendered mark-')))
})
