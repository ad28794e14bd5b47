import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { freePort } from '../harness/net/port.ts'

const PROJECT = join(import.meta.dirname, '../..')
const TOCSIN = '/opt/tocsin/tocsin'
const DATA = '/var/lib/tocsin'
/** What the launcher needs beside the archive: a shell and readlink. */
const PROGRAMS = ['/bin/sh', '/usr/bin/readlink']

const root = mkdtempSync(join(tmpdir(), 'tocsin-root-'))
after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

/** Unpacks the archive in a folder that holds nothing else but the C library, the launcher's programs and `/tmp`. */
before(() => {
  const script = join(PROJECT, 'deploy/package.ts')
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, root], { stdio: 'pipe' })
  const [archive = assert.fail('no archive')] = globSync('tocsin-*.tar.gz', { cwd: root })
  for (const folder of ['opt/tocsin', 'tmp', DATA]) mkdirSync(join(root, folder), { recursive: true })
  execFileSync('tar', ['-xzf', join(root, archive), '--strip-components=1', '-C', join(root, 'opt/tocsin')])
  rmSync(join(root, archive))
  const natives = globSync(['opt/tocsin/bin/node', 'opt/tocsin/**/*.node'], { cwd: root }).map((path) =>
    join(root, path),
  )
  assert.equal(natives.length, 2)
  for (const file of [...PROGRAMS, ...[...PROGRAMS, ...natives].flatMap(librariesOf)]) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    cpSync(realpathSync(file), join(root, file))
  }
})

function librariesOf(program: string): string[] {
  const text = execFileSync('ldd', [program], { encoding: 'utf8' })
  return Array.from(text.matchAll(/(\/\S+) \(0x/g), ([, path = '']) => path)
}

/** Starts a command of the archive in the empty root, without a variable of this process. */
function start(t: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn('unshare', ['--map-root-user', `--root=${root}`, TOCSIN, ...args], { env, stdio: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said.text += chunk
    })
  return { child, said, ended: once(child, 'exit') }
}

test('the archive runs in an empty root: the service, its dashboard, its templates and the other commands', async (t) => {
  const help = start(t, ['--help'])
  assert.deepEqual((await help.ended)[0], 0, help.said.text)
  assert.match(help.said.text, /^ {2}silence /m)

  const check = start(t, ['check', '--config', '/opt/tocsin/config/config.yaml'])
  assert.deepEqual((await check.ended)[0], 0, check.said.text)

  const port = await freePort()
  const env = { PORT: String(port), GATEWAY_SECRET: 'of-the-archive', STORAGE_FILE_DATA_DIR: DATA }
  const { child, said, ended } = start(t, ['serve'], env)
  const outputs = async (words: RegExp) => {
    while (!words.test(said.text)) {
      assert.equal(child.exitCode, null, said.text)
      await Promise.race([once(child.stdout, 'data'), ended])
    }
  }
  await outputs(/"ready"/)
  const url = `http://127.0.0.1:${port}`
  const page = await fetch(`${url}/`)
  assert.match(await page.text(), /<html/i)
  const headers = { 'Content-Type': 'application/json' }
  const created = await fetch(`${url}/api/incidents`, { method: 'POST', body: '{"Logs":"the disk is full"}', headers })
  assert.equal(created.status, 201)
  await outputs(/│ the disk is full/)

  const problems = start(t, ['problems', '--url', url], { GATEWAY_SECRET: 'of-the-archive' })
  assert.deepEqual((await problems.ended)[0], 0, problems.said.text)
  assert.match(problems.said.text, /the disk is full/)
  child.kill('SIGTERM')
  assert.deepEqual((await ended)[0], 0, said.text)
})

test('the archive holds the licence of every package that is in it', () => {
  const licences = globSync('opt/tocsin/licenses/*.txt', { cwd: root }).map((path) => path.split('/').at(-1))
  for (const name of ['node', 'uWebSockets.js', 'undici', 'preact', '@aws-sdk__client-sns', 'handlebars', 'piscina'])
    assert.ok(licences.includes(`${name}.txt`), name)
})
