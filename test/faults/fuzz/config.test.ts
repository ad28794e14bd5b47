import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { until } from '../../harness/until.ts'
import { holdsFor } from '../campaign.ts'
import { startVictim } from '../victim.ts'
import { tree, word } from './hostile.ts'

const CLI = fileURLToPath(new URL('../../../src/tocsin.js', import.meta.url))

const SECTIONS = [
  'http',
  'alert',
  'delivery',
  'templates',
  'topicsvc',
  'oncall',
  'storage',
  'agent',
  'metrics',
  'log',
  'name',
]
function keys(count: number): string {
  return Array.from({ length: count }, (_, n) => `k${n}: 1`).join('\n')
}
const TEXTS = [
  '\u0000',
  `${'a: {'.repeat(10_000)}`,
  `${'- '.repeat(10_000)}x`,
  `&a [${'*a,'.repeat(10)}]`,
  `name: ${'x'.repeat(1_000_000)}`,
  'alert: { chatws: { enable: true, api_url: "http://user:pw@[::1]:99999" } }',
  'port: 1e999',
  keys(5_000),
  keys(100_000),
]
const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.tuple(fc.constantFrom(...SECTIONS), tree), { maxLength: 4 }).map(yamlOf) },
  { weight: 2, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: word },
)

function yamlOf(pairs: readonly (readonly [string, unknown])[]): string {
  return stringify(new Map(pairs))
}

test('any configuration is accepted, or refused with a message and without a stack trace', async (t) => {
  const dir = folder()
  await holdsFor(t, { share: 0.05, arbitrary: text }, async (yaml) => {
    const file = join(dir, 'c.yaml')
    writeFileSync(file, yaml)
    const { code, output } = await check(t, file)
    assert.ok(code === 0 || code === 1, `${code}: ${output.slice(0, 2_000)} to ${yaml.slice(0, 1_000)}`)
    assert.doesNotMatch(output, /^ {4}at |node:internal/m)
  })
})

test('a reload of any invalid configuration leaves the service as it was', async (t) => {
  const victim = await startVictim(t)
  let refused = 0
  const count = () => victim.output().split('nothing changed').length - 1
  await holdsFor(t, { share: 0.03, arbitrary: text.filter((yaml) => !/^\s*$/.test(yaml)) }, async (yaml) => {
    writeFileSync(victim.file, `${yaml}\nport: nothing\nport: nothing\n`)
    victim.child.kill('SIGHUP')
    await until(count, (now) => now > refused)
    refused = count()
    assert.equal((await post(victim.url, { title: 'still here' })).status, 201)
  })
  await victim.assertSound()
})

function check(t: TestContext, file: string): Promise<{ code: number | null; output: string }> {
  const args = ['--disable-warning=ExperimentalWarning', CLI, 'check', '--config', file]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}
