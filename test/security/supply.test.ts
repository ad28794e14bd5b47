import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}
const lock = JSON.parse(read('package-lock.json')) as { packages: { [path: string]: Locked } }
const manifest = JSON.parse(read('package.json')) as { allowScripts: { [name: string]: boolean } }
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')

/**
 * Binaries of the formatter, one package per platform. They may lack a digest: not every registry has those of other
 * platforms, and the service does not run them.
 */
const FORMATTER = /^node_modules\/@biomejs\/cli-[a-z0-9-]+$/

test('every package is locked to one version and to the digest of what it holds', () => {
  assert.ok(packages.length > 150)
  for (const [path, { version, integrity, dev, optional }] of packages) {
    assert.match(version ?? '', /^\d+\.\d+\.\d+/, path)
    if (FORMATTER.test(path) && integrity === undefined) assert.deepEqual([dev, optional], [true, true], path)
    else assert.match(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, path)
  }
})

test('no package comes from anywhere but a registry', () => {
  for (const [path, { resolved = '' }] of packages)
    assert.match(resolved, /^(?:https:\/\/registry\.npmjs\.org\/.+\.tgz)?$/, path)
  assert.doesNotMatch(read('package.json'), /"(?:git|github|http|https|file|link):/)
})

test('no package runs anything when it is installed but those that are named', () => {
  const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = scripts.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  assert.deepEqual(names.sort(), Object.keys(manifest.allowScripts).sort())
})

test('the binaries of the HTTP server are those that were looked at', () => {
  const folder = join(ROOT, 'node_modules/uWebSockets.js/dist/bin')
  const found = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}`,
    )
  assert.deepEqual(found, read('test/security/fixtures/uws.sha256').trimEnd().split('\n'))
})
