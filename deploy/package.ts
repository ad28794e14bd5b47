import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bundleService, ROOT } from '../src/bundle/bundle.ts'
import { bundle as bundleDashboard } from '../src/dashboard/bundle.ts'

/*
 * `npm run package [FOLDER]`: makes FOLDER/tocsin-<version>-linux-<x64 or arm64>.tar.gz (default: dist), which runs where neither
 * Node nor npm is installed: Node, the service in one bundle with its packages, the module of its HTTP server, the
 * dashboard, templates, configuration, documentation and licences. Files lie as in the sources, because the bundle looks for them there.
 */
const ARCHITECTURES = ['x64', 'arm64']
const PLATFORM = `linux-${process.arch}`
/** Packages whose code or files are in the bundle of the dashboard. */
const OF_DASHBOARD = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'uplot',
  'marked',
  '@fontsource-variable/inter',
]
const HTTP_SERVER = 'node_modules/uWebSockets.js'
/** Files that the service reads beside its sources. */
const READ_AT_RUN_TIME = [
  'package.json',
  'LICENSE',
  'README.md',
  'templates/*.tmpl',
  'config/*',
  'src/**/*.{html,md,wasm}',
  'deploy/systemd/*',
]
/** Files for the reader: the pages that the README leads to, and what they name. The image has none of them. */
const READ_BY_PEOPLE = [
  'CHANGELOG.md',
  'docs/**/*.*',
  'templates/*.md',
  'bench/README.md',
  '.github/*.md',
  'deploy/README.md',
  'deploy/{grafana,prometheus,kubernetes}/*',
  'deploy/helm/**/*.*',
]
const NODE_LICENCE = `Node.js is licensed under the MIT licence: Copyright Node.js contributors. All rights reserved.
It contains software of others; the full text is LICENSE of its source, https://github.com/nodejs/node.
`

if (process.platform !== 'linux' || !ARCHITECTURES.includes(process.arch)) {
  console.error(
    `The archive is for Linux on x64 or arm64 and holds the Node that makes it: run this there, not on ${process.platform}-${process.arch}.`,
  )
  process.exit(1)
}
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
const name = `tocsin-${version}-${PLATFORM}`
const scratch = mkdtempSync(join(tmpdir(), 'tocsin-package-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
const top = join(scratch, name)

const built = join(ROOT, 'dist/packaged')
const { packages } = await bundleService(built, 'bundle')
cpSync(built, join(top, 'dist/service'), { recursive: true })
rmSync(built, { recursive: true })
await bundleDashboard(join(top, 'dist/dashboard'))
for (const path of [...READ_AT_RUN_TIME, ...READ_BY_PEOPLE].flatMap((pattern) => globSync(pattern, { cwd: ROOT })))
  cpSync(join(ROOT, path), join(top, path), { verbatimSymlinks: true })
const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
for (const path of ['package.json', 'dist/index.mjs', 'dist/uws.mjs', `dist/bin/${binary}`])
  cpSync(join(ROOT, HTTP_SERVER, path), join(top, HTTP_SERVER, path))
mkdirSync(join(top, 'bin'))
cpSync(process.execPath, join(top, 'bin/node'))
cpSync(join(ROOT, 'deploy/tocsin'), join(top, 'tocsin'))

writeLicences([...packages, ...OF_DASHBOARD, basename(HTTP_SERVER)])
const out = process.argv[2] ?? join(ROOT, 'dist')
mkdirSync(out, { recursive: true })
const archive = join(out, `${name}.tar.gz`)
execFileSync('tar', [
  '--create',
  '--gzip',
  '--sort=name',
  '--owner=0',
  '--group=0',
  '--file',
  archive,
  '--directory',
  scratch,
  name,
])
console.log(`${archive}: ${megabytes(statSync(archive).size)} MB`)

/** Writes the licence of Node, and that of each package: its file, or what its package.json says. */
function writeLicences(names: readonly string[]): void {
  const folder = join(top, 'licenses')
  mkdirSync(folder)
  writeFileSync(join(folder, 'node.txt'), NODE_LICENCE)
  for (const each of names) {
    const place = join(ROOT, 'node_modules', each)
    const about = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { version: string; license?: string }
    const texts = globSync('{LICENSE,LICENCE,License,license}*', { cwd: place }).map((file) =>
      readFileSync(join(place, file), 'utf8'),
    )
    if (texts.length === 0 && about.license === undefined) throw new Error(`${each}: no licence`)
    const head = `${each} ${about.version}, ${about.license ?? 'see below'}\n`
    writeFileSync(join(folder, `${each.replace('/', '__')}.txt`), [head, ...texts].join('\n'))
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
