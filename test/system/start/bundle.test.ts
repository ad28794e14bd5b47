import assert from 'node:assert/strict'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleService, ROOT } from '../../../src/bundle/bundle.ts'
import { isFresh, refusalOf } from '../../../src/bundle/start.js'
import { auditedProvider } from '../../harness/audit/audited-provider.ts'
import { Ledger } from '../../harness/audit/ledger.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { startProcess } from '../../harness/process.ts'
import { twoChannels } from '../../harness/providers.ts'

test('a bundled service accepts, renders and delivers, and every thread of it runs bundled', async (t) => {
  const bundle = join(ROOT, `dist/test-${process.pid}`)
  t.after(() => rmSync(bundle, { recursive: true, force: true }))
  const { files } = await bundleService(bundle)
  assert.ok(files > 4)
  assert.ok(isFresh(`${ROOT}/`, `${bundle}/`))

  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const file = configFile(folder(), {
    alert,
    log: { level: 'info' },
    http: { threads: 2 },
    agent: {
      enable: true,
      mode: 'training',
      sources: [{ name: 'app', type: 'file', file: { path: join(folder(), 'app.log') } }],
    },
  })
  // Without type stripping a thread that would run a source does not start.
  const env = { NODE_OPTIONS: '--no-experimental-strip-types' }
  const { url } = await startProcess(t, file, env, join(bundle, 'main.js'))
  const ledger = new Ledger()
  await ledger.load(url, new AbortController().signal, 40)
  await ledger.audit(url, providers)
})

test('a bundle is fresh until a source is younger, or is gone', () => {
  const root = `${folder()}/`
  const bundle = `${root}dist/service/`
  assert.equal(isFresh(root, bundle), false, 'no bundle')
  mkdirSync(bundle, { recursive: true })
  const builtAt = Date.now()
  for (const source of ['one.ts', 'two.ts']) {
    writeFileSync(root + source, '')
    utimesSync(root + source, new Date(builtAt - 1_000), new Date(builtAt - 1_000))
  }
  writeFileSync(`${bundle}manifest.json`, JSON.stringify({ builtAt, sources: ['one.ts', 'two.ts'] }))
  assert.equal(isFresh(root, bundle), true)
  utimesSync(`${root}two.ts`, new Date(builtAt + 1_000), new Date(builtAt + 1_000))
  assert.equal(isFresh(root, bundle), false, 'a younger source')
  utimesSync(`${root}two.ts`, new Date(builtAt), new Date(builtAt))
  rmSync(`${root}one.ts`)
  assert.equal(isFresh(root, bundle), false, 'a source that is gone')
})

test('a Node that is too old is refused with the way out', () => {
  assert.match(
    refusalOf('20.20.2', { runsTypeScript: false }) ?? '',
    /needs Node 22\.18 or later to run from its sources, and this is 20\.20\.2/,
  )
  assert.notEqual(refusalOf('22.15.1', { runsTypeScript: true }), undefined)
  assert.notEqual(refusalOf('22.17.0', { runsTypeScript: false }), undefined)
  for (const version of ['22.16.0', '23.0.0', '24.1.0'])
    assert.equal(refusalOf(version, { runsTypeScript: true }), undefined)
})
