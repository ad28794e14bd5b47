import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml'
import { ERRORS } from '../src/domain/errors.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const PAGES = ['README.md', 'CHANGELOG.md', ...filesOf('docs/**/*.md'), ...filesOf('.github/*.md')].concat(
  filesOf('{deploy,bench,templates}/README.md'),
)
function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT })
}

test('the README is short', () => {
  const lines = read('README.md').split('\n').length
  assert.ok(lines <= 200, `${lines} lines`)
})

test('docs/operations.md has one line for every error code, with its status and sentence', () => {
  const lines = read('docs/operations.md').split('\n')
  for (const [code, { status, message }] of Object.entries(ERRORS)) {
    const found = lines.filter((line) => line.startsWith(`| \`${code}\` |`))
    assert.equal(found.length, 1, `${found.length} lines begin with ${code}`)
    assert.ok(found[0]?.startsWith(`| \`${code}\` | ${status} | ${message} | `), found[0])
  }
})

test('docs/operations.md names every metric', () => {
  const page = read('docs/operations.md')
  const sources = filesOf('src/telemetry/metrics/*.ts').map(read).join('\n')
  const metrics = new Set(sources.match(/\btocsin_\w+/g))
  assert.ok(metrics.size > 50, `${metrics.size} metrics`)
  assert.deepEqual(
    Array.from(metrics).filter((metric) => !page.includes(`\`${metric}\``)),
    [],
  )
})

test('docs/configuration.md names every key of config/config.yaml, in the part for its section', () => {
  const page = read('docs/configuration.md')
  const shipped = parseDocument(read('config/config.yaml')).contents
  assert.ok(isMap(shipped))
  const missing = shipped.items.flatMap(({ key, value }) => {
    const section = String(isScalar(key) ? key.value : key)
    const part = partOf(page, section)
    const names = isMap(value) && value.items.length > 0 ? leavesOf(value) : [section]
    return names
      .filter((name) => !new RegExp(`\`[^\`]*\\b${name}\\b[^\`]*\``).test(part))
      .map((name) => `${section}: ${name}`)
  })
  assert.deepEqual(missing, [])
})

/** The text under the heading of the section, else that under "General". */
function partOf(page: string, section: string): string {
  const parts = page.split(/^#{2,3} /m)
  const part =
    parts.find((each) => each.startsWith(`\`${section}\``)) ?? parts.find((each) => each.startsWith('General'))
  return part ?? ''
}

/** Last names of all keys that hold a value. */
function leavesOf(map: YAMLMap): string[] {
  return map.items.flatMap(({ key, value }) => {
    const inner = isMap(value) ? leavesOf(value) : []
    return inner.length > 0 ? inner : [isScalar(key) ? String(key.value) : '']
  })
}

test('every relative link of the documentation leads to a file, and its anchor to a heading', () => {
  const broken = PAGES.flatMap((page) =>
    linksOf(read(page))
      .filter((link) => !resolves(page, link))
      .map((link) => `${page}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

const linksOf = (text: string) =>
  Array.from(withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link).filter(
    (link) => !/^[a-z]+:/.test(link),
  )

function resolves(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path))
  if (!existsSync(join(ROOT, file))) return false
  return anchor === undefined || (statSync(join(ROOT, file)).isFile() && anchorsOf(read(file)).includes(anchor))
}

/** The anchors that GitHub gives to headings. */
const anchorsOf = (text: string) =>
  Array.from(withoutCode(text).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  )

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')

test('every file and folder that the documentation names exists', () => {
  const missing = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
    Array.from(
      read(page).matchAll(
        /(?<![\w/.-])(?!bench\/results)(?:src|actors|test|static|bench|config|templates|deploy)\/[\w./-]*/g,
      ),
      ([path]) => path.replace(/\.$/, ''),
    )
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${page}: ${path}`),
  )
  assert.deepEqual(missing, [])
})
