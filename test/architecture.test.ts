import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const FEATURE =
  'src/(alertmanager|answers|cluster|dashboard|http|validate|intake|journal|store|render|channels|oncall|mcp|mining|analysis|simulator|tail|topic)'
/** Code that knows no feature, used by all. */
const LIBRARY = 'src/(async|brief|outbound|models|text|files|postgres|settings)'
const PACKAGES = '(node|npm):'
const FEATURES = ['src/domain/', 'type src/api/', `${LIBRARY}/`, 'src/policy/', `${FEATURE}/`]
/** `<thread>` is the folder of actors that the file is in. No thread's folder imports another's: messages join them. */
const OF_A_THREAD = ['<thread>', 'actors/(messages|wiring)/', 'src/(kernel|telemetry)/', ...FEATURES, PACKAGES]

/** The first row that matches a file lists what it may import; `<own>` is the folder of src that the file is in. */
const MAY_IMPORT: readonly (readonly [file: string, ...targets: string[]])[] = [
  ['src/domain/', 'src/domain/'],
  ['src/kernel/', '<own>', 'src/domain/delivery/backoff.ts', PACKAGES],
  ['src/models/', '<own>', 'src/(domain|text|settings)/', PACKAGES],
  ['src/brief/', '<own>', 'src/(domain|text)/', 'type src/api/', PACKAGES],
  [`${LIBRARY}/`, '<own>', 'src/(domain|text)/', PACKAGES],
  // Shapes of the API's resources: values for the OpenAPI document, types for all others.
  ['src/api/', '<own>', 'src/domain/', 'npm:zod'],
  ['src/http/openapi/', '<own>', 'src/api/', 'src/domain/', PACKAGES],
  // Pure decisions.
  ['src/policy/', '<own>', 'src/(domain|text)/', PACKAGES],
  [`${FEATURE}/`, '<own>', 'src/(domain|policy)/', 'type src/api/', `${LIBRARY}/`, PACKAGES],
  [
    'src/config/',
    '<own>',
    'src/(domain|text|policy|settings)/',
    'type src/api/',
    PACKAGES,
    'src/channels/(index|channel).ts',
    `${FEATURE}/options.ts`,
    'src/models/options.ts',
  ],
  ['src/telemetry/', '<own>', 'src/(domain|text)/', 'type src/(api|cluster|journal|kernel|store)/', PACKAGES],
  ['actors/messages/', 'actors/messages/', 'src/domain/', `type ${FEATURE}/`, 'type src/(api|kernel|telemetry)/'],
  // The settings are the configuration, as a type.
  ['actors/wiring/', 'actors/(messages|wiring)/', 'type src/config/', 'src/(kernel|telemetry)/', ...FEATURES, PACKAGES],
  [
    'actors/worker.ts',
    'actors/(messages|wiring)/',
    'actors/(front/remote|journal|store|send|agent)/thread.ts',
    'src/(cluster/shared-lease|journal/progress).ts',
    'src/(kernel|telemetry)/',
    PACKAGES,
  ],
  ['actors/(system|scripts).ts', 'actors/', 'src/(kernel|telemetry)/', ...FEATURES, PACKAGES],
  // Main runs a front of its own where `http.threads` is 1.
  ['actors/main/', ...OF_A_THREAD],
  ['actors/(front|journal|store|send|agent|rehearsal)/', ...OF_A_THREAD],
  [
    'src/commands/',
    '<own>',
    'src/(config|telemetry)/',
    'src/kernel/shrink-heap.ts',
    'actors/(system|rehearsal/directory).ts',
    ...FEATURES,
    PACKAGES,
  ],
  [
    'static/',
    'static/',
    'src/domain/(delivery/(backoff|delivery)|event-filter|incident|pattern-verdict|severity).ts',
    'type src/(domain|api)/',
    'npm:(preact|@preact/signals|uplot|marked)',
  ],
  ['src/bundle/', '<own>', PACKAGES],
  ['src/(main|cli).ts', 'src/(commands|config|telemetry)/', 'actors/system.ts', PACKAGES],
]
const ENTRIES = [
  'src/main.ts',
  'src/cli.ts',
  'src/bundle/build.ts',
  'static/main.tsx',
  'src/validate/assembly/validator.ts',
  'src/policy/explain.ts',
]
const MAX_LINES = 300
/** Files of one folder, beside its subfolders. */
const MAX_FILES = 25

interface Import {
  readonly from: string
  readonly line: number
  /** A path below the root, or `node:name`, or `npm:name`. */
  readonly to: string
  readonly typeOnly: boolean
  /** The path of another thread's script, which the importing thread does not load. */
  readonly script: boolean
  /** Loaded by `import()`, when the code gets there. */
  readonly lazy: boolean
}

const IMPORT =
  /^(?:import|export) (type )?[^'";]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)|new URL\('(\.[^']+\.ts)'/gm

const files = globSync('{src,actors,static}/**/*.{ts,tsx}', { cwd: ROOT }).sort()
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
const imports = files.flatMap((file) => importsOf(file, texts.get(file) ?? ''))
/** The files above and those of the tools around the service. */
const allTexts = new Map(texts)
for (const file of globSync('{bench,deploy,templates,test}/**/*.{ts,tsx}', { cwd: ROOT }).sort())
  allTexts.set(file, readFileSync(join(ROOT, file), 'utf8'))
const allImports = Array.from(allTexts, ([file, text]) => importsOf(file, text)).flat()

function importsOf(from: string, text: string): Import[] {
  return Array.from(text.matchAll(IMPORT), ([, type, named, bare, dynamic, script = ''], at) => ({
    from,
    line: lineOf(text, at),
    to: target(from, named ?? bare ?? dynamic ?? script),
    typeOnly: type !== undefined,
    script: script !== '',
    lazy: dynamic !== undefined,
  }))
}

function lineOf(text: string, nth: number): number {
  const match = [...text.matchAll(IMPORT)][nth]
  return text.slice(0, match?.index).split('\n').length
}

function target(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(from), specifier)
  return specifier.startsWith('node:') ? specifier : `npm:${specifier}`
}

function violation({ from, line, to, typeOnly }: Import): string[] {
  if (/^(src|actors|static)\//.test(to) && !texts.has(to))
    return [`${from}:${line} imports ${to}, which does not exist`]
  const row = MAY_IMPORT.find(([file]) => new RegExp(`^${file}`).test(from))
  const own = from.split('/').slice(0, 2).join('/')
  const allowed = (row?.slice(1) ?? []).map((each) => each.replace(/<own>|<thread>/, `${own}/`))
  const kinds = typeOnly ? [to, `type ${to}`] : [to]
  if (allowed.some((each) => kinds.some((kind) => new RegExp(`^${each}`).test(kind)))) return []
  return [`${from}:${line} imports ${typeOnly ? 'type ' : ''}${to}; allowed: ${allowed.join(', ') || 'nothing'}`]
}

/** Returns the first circle that leads back to a file of `path`, depth first. Type-only imports count. */
function cycleFrom(file: string, path: readonly string[], done: Set<string>): string[] {
  if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' -> ')]
  if (done.has(file)) return []
  const next = allImports.filter(({ from, script }) => from === file && !script)
  const found = next.flatMap(({ to }) => cycleFrom(to, [...path, file], done))
  done.add(file)
  return found
}

function reached(entries: readonly string[], ways = imports): Set<string> {
  const seen = new Set(entries)
  for (const file of seen) for (const { from, to } of ways) if (from === file) seen.add(to)
  return seen
}

/** Loaded by path and read by name: trials of the bench, fixtures, the script of render threads, WebAssembly. */
const READ_BY_NAME =
  /^bench\/trials\/|\/fixtures\/|^src\/render\/pool\/worker\.ts$|^src\/validate\/assembly\/validator\.ts$/
const EXPORT = /^export (?:async |abstract |declare )*(?:function\*?|const|class|interface|type|enum) (\w+)/gm

interface Importers {
  readonly product: string[]
  readonly tests: string[]
}

/**
 * Exports of a file that no product file which imports it names. What only a test imports needs a caller in its own
 * file.
 */
function unusedExports(text: string, { product, tests }: Importers): string[] {
  const names = Array.from(text.matchAll(EXPORT), ([, name = '']) => name)
  return names.filter((name) => {
    const word = new RegExp(`\\b${name}\\b`, 'g')
    const named = (importers: readonly string[]) => importers.some((importer) => importer.search(word) >= 0)
    return !named(product) && !(named(tests) && (text.match(word)?.length ?? 0) > 1)
  })
}

const OFF_THE_SEND_THREAD = [
  'zod',
  'node:http',
  'undici',
  'nodemailer',
  'handlebars',
  're2js',
  'openai',
  'uWebSockets.js',
  'prom-client',
  'src/channels/(kinds|adapters)/(?!index)',
  'src/oncall/(webhook|pagerduty|incident-io|aws-incident-manager|servicenow)',
  'src/render/(go/(tmpl|helpers|printf|time)|hbs|samples)/',
  'src/intake/',
]
/** Libraries, and files by how their paths begin, that a start neither waits for nor keeps in memory. */
const NOT_AT_START: { readonly [entry: string]: readonly string[] } = {
  'src/cli.ts': ['temporal-polyfill'],
  'src/main.ts': [
    'undici',
    'nodemailer',
    'handlebars',
    'piscina',
    'prom-client',
    'openai',
    'esbuild',
    'jsonc-parser',
    'temporal-polyfill',
    // Its facade reads all exports, one of which loads a whole HTTP client.
    'node:http',
    '@aws-sdk/client-sns',
    '@aws-sdk/client-ssm-incidents',
    'src/channels/adapters/',
    'src/oncall/(webhook|pagerduty|incident-io|aws-incident-manager|servicenow)',
  ],
  'actors/store/thread.ts': ['zod', 'node:http', 'undici', 'nodemailer', 'handlebars', 'piscina', 'uWebSockets.js'],
  'actors/send/thread.ts': OFF_THE_SEND_THREAD,
  'actors/send/senders.ts': OFF_THE_SEND_THREAD,
  'actors/journal/thread.ts': ['zod', 'node:http', 'undici', 'nodemailer', 'handlebars', 'piscina', 'uWebSockets.js'],
  'actors/front/remote/thread.ts': ['zod', 'node:http', 'undici', 'nodemailer', 'handlebars', 'piscina', 'src/store/'],
  'src/render/pool/worker.ts': ['zod', 'node:http', 'undici', 'piscina', 'src/render/samples/'],
  'actors/agent/thread.ts': ['zod', 'nodemailer', 'openai', 'handlebars', 'piscina', 'uWebSockets.js'],
}

test('every file imports only what its place in the house allows', () => {
  assert.ok(imports.length > 100)
  assert.deepEqual(imports.flatMap(violation), [])
})

test('no file imports itself by way of others, types included', () => {
  const done = new Set<string>()
  assert.deepEqual(
    [...allTexts.keys()].flatMap((file) => cycleFrom(file, [], done)),
    [],
  )
})

test('an index is a table, not a barrel', () => {
  const barrels = files.filter((file) => /(^|\/)index\.ts$/.test(file) && /^export \*/m.test(texts.get(file) ?? ''))
  assert.deepEqual(barrels, [])
})

test(`no file has more than ${MAX_LINES} lines`, () => {
  const counts = Array.from(allTexts, ([file, text]) => ({ file, lines: text.trimEnd().split('\n').length }))
  assert.deepEqual(
    counts.filter(({ lines }) => lines > MAX_LINES).map(({ file, lines }) => `${file} has ${lines} lines`),
    [],
  )
})

test(`no folder of code has more than ${MAX_FILES} files beside its subfolders`, () => {
  const counts = new Map<string, number>()
  for (const file of allTexts.keys()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  assert.deepEqual(
    [...counts].filter(([, count]) => count > MAX_FILES).map(([folder, count]) => `${folder} has ${count} files`),
    [],
  )
})

test('every file is reached from an entry', () => {
  const seen = reached(ENTRIES)
  assert.deepEqual(
    files.filter((file) => !seen.has(file) && !file.endsWith('.d.ts')),
    [],
  )
})

test('every export is imported by another file, and has a caller outside of the tests', () => {
  const importers = new Map(
    Array.from(allTexts.keys(), (file): [string, Importers] => [file, { product: [], tests: [] }]),
  )
  for (const { from, to } of allImports) {
    const ofTests = from.startsWith('test/') && !to.startsWith('test/')
    importers.get(to)?.[ofTests ? 'tests' : 'product'].push(allTexts.get(from) ?? '')
  }
  const unused = Array.from(allTexts, ([file, text]) =>
    READ_BY_NAME.test(file)
      ? []
      : unusedExports(text, importers.get(file) ?? { product: [], tests: [] }).map((name) => `${file} ${name}`),
  )
  assert.deepEqual(unused.flat(), [])
})

for (const [entry, libraries] of Object.entries(NOT_AT_START)) {
  test(`${entry} loads nothing before it is needed`, () => {
    const atOnce = imports.filter(({ typeOnly, script, lazy }) => !typeOnly && !script && !lazy)
    const seen = reached([entry], atOnce)
    const unwanted = ['src/api/', ...libraries].map((each) => new RegExp(`^(npm:${each}$|${each})`))
    assert.deepEqual(
      [...seen].filter((file) => unwanted.some((each) => each.test(file))),
      [],
    )
  })
}
