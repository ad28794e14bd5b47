import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { post, SECRET } from '../harness/net/requests.ts'
import { end } from '../harness/process.ts'
import { startTestSystem } from '../harness/system.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the bin runs through a link, and exits with 2 for a wrong command line, 1 for a failure', async (t) => {
  const tocsin = linked(t)
  const help = await ended(tocsin(['--help']))
  assert.equal(help.code, 0)
  for (const name of ['serve', 'check', 'render', 'tail', 'replay', 'heartbeats', 'mine', 'simulate'])
    assert.match(help.out, new RegExp(`^  ${name} `, 'm'))
  assert.deepEqual(await ended(tocsin(['tial'])), {
    code: 2,
    out: '',
    err: 'tocsin does not know tial; did you mean tail?\n',
  })
  const failed = await ended(tocsin(['tail', '--url', 'http://127.0.0.1:9'], { GATEWAY_SECRET: SECRET }))
  assert.equal(failed.code, 1)
  assert.match(failed.err, /^http:\/\/127\.0\.0\.1:9 cannot be reached: .*\n$/)
})

test('tail prints one line for each event, without colours in a pipe, and exits with 0 at Ctrl-C', async (t) => {
  const file = configFile(folder())
  const { url } = await startTestSystem(t, file)
  const child = linked(t)(['tail', '--url', url, '--config', file, '--kind', 'incident,delivery'])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const err = text(child.stderr)
  const printed: string[] = []
  const next = (async () => printed.push(...[(await lines.next()).value, (await lines.next()).value]))()
  let posting = true
  void next.finally(() => {
    posting = false
  })
  // The tail shows incidents that are posted from now on.
  while (posting) {
    await post(url, { ServiceName: 'ledger', severity: 'critical' })
    await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 50))])
  }
  assert.deepEqual(await end(child, 'SIGINT'), [0, null])
  assert.match(printed.join('\n'), /^\d\d:\d\d:\d\d {2}(incident|delivery) {2}critical {2}(firing|sent) /)
  assert.ok(!printed.join().includes('\u001b'))
  assert.equal(await err, '')
})

/**
 * `npm link` does the same: a link to the file that package.json names, found in the PATH with a node that can run it.
 */
function linked(t: TestContext) {
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: { tocsin: string } }
  const dir = join(folder(), 'bin')
  mkdirSync(dir)
  symlinkSync(join(ROOT, bin.tocsin), join(dir, 'tocsin'))
  const path = [dir, dirname(process.execPath), process.env.PATH].join(delimiter)
  return (args: readonly string[], env: { [name: string]: string } = {}) => {
    const child = spawn('tocsin', args, { env: { PATH: path, ...env }, cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })
    t.after(() => child.kill('SIGKILL'))
    return child
  }
}

async function ended(child: ReturnType<ReturnType<typeof linked>>) {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}
