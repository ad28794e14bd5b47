import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { startTestSystem } from '../harness/system.ts'

/*
 * `npm run test:mcp`: the suite of the protocol's authors against the service, through a shim on loopback that adds a token. The
 * suite is installed into a folder of its own, with the lock file in `conformance/`: its packages are none of the service's.
 */
const FOLDER = join(import.meta.dirname, '../../dist/conformance')
const SUITE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const INSTALL = 'npm run install:conformance'
/** A token has 60 calls a minute. */
const TOKENS = Array.from({ length: 100 }, (_, nth) => ({
  name: `t${nth}`,
  token: `token-${nth}-of-the-conformance-tests`,
}))

/** Sends each request on to the service with the next token; all other headers as they came. */
async function startShim(t: TestContext, port: number): Promise<string> {
  let nth = 0
  const shim = createServer((req, res) => {
    const { token } = TOKENS[nth++ % TOKENS.length] as (typeof TOKENS)[number]
    const headers = { ...req.headers, authorization: `Bearer ${token}` }
    const forwarded = request({ port, host: '127.0.0.1', path: req.url, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    forwarded.on('error', () => res.destroy())
    req.pipe(forwarded)
  })
  await new Promise<void>((resolve) => shim.listen(0, '127.0.0.1', resolve))
  t.after(() => shim.close())
  return `http://127.0.0.1:${(shim.address() as AddressInfo).port}/mcp`
}

/** Failed checks of the two scenarios of which only parts are about what is not offered. */
const FAILED: { readonly [revision: string]: readonly string[] } = {
  '2026-07-28': [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
    // Both need a tool of the suite that asks the client for something.
    'sep-2575-missing-capability-http-400',
    'sep-2575-server-rejects-undeclared-capability',
  ],
  '2025-11-25': [],
}

const failedIn = (folder: string): string[] =>
  globSync('server-{server-stateless,caching}-*/checks.json', { cwd: folder })
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as { id: string; status: string }[])
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id }) => id)
    .sort()

for (const revision of ['2026-07-28', '2025-11-25'])
  test(`of the requirements of ${revision} the service fails what the baseline says, and nothing else`, async (t) => {
    assert.ok(existsSync(SUITE), `the suite is not installed: ${INSTALL}`)
    const { port } = await startTestSystem(t, configFile(folder(), { mcp: { tokens: TOKENS } }))
    const url = await startShim(t, port)
    const out = folder()
    const baseline = join(import.meta.dirname, `conformance/baseline-${revision}.yaml`)
    const given = ['server', '--url', url, '--requirements', revision, '--expected-failures', baseline]
    const { code, output } = await run([...given, '--output-dir', out])
    assert.equal(code, 0, output.slice(-6_000))
    assert.deepEqual(failedIn(out), FAILED[revision])
  })

function run(given: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const done = (error: { code?: unknown } | null, stdout: string, stderr: string) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr })
    execFile(process.execPath, [SUITE, ...given], { maxBuffer: 64 * 1_024 * 1_024 }, done)
  })
}
