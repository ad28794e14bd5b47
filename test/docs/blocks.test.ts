import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse, parseDocument } from 'yaml'
import { COMMANDS } from '../../src/commands/index.ts'
import { loadConfig } from '../../src/config/load.ts'
import { CHANNEL_NAMES, DELIVERY_STATES } from '../../src/domain/delivery/delivery.ts'
import { SENDERS, SOURCES } from '../../src/domain/incident.ts'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'
import { type Block, blocksOf, PAGES, read } from './pages.ts'

const BLOCKS = PAGES.flatMap(blocksOf)
const where = ({ page, line }: Block) => `${page}:${line}`
const shell = async (script: string) => (await promisify(execFile)('sh', ['-c', script])).stdout

test('every block of code has fences, and a language that a test knows; blocks without one are output or drawings', () => {
  const known = ['yaml', 'sh', 'json', 'text', 'nginx', 'js', '']
  assert.deepEqual(BLOCKS.filter(({ language }) => !known.includes(language)).map(where), [])
})

/** First lines of YAML that belongs to another program, which is only parsed. */
const YAML_OF_OTHERS =
  /^# (alertmanager\.|prometheus\.|karma\.|slack\.|compose\.|provisioning\/alerting\/tocsin\.|of a GitHub workflow)/

test('every YAML block is a configuration without errors and unknown keys, and every JSON block is JSON', () => {
  for (const block of BLOCKS.filter(({ language }) => language === 'json')) JSON.parse(block.text)
  for (const block of BLOCKS.filter(({ language }) => language === 'yaml')) {
    if (YAML_OF_OTHERS.test(block.text)) assert.ok(parse(block.text), where(block))
    else {
      const file = join(folder(), 'config.yaml')
      writeFileSync(file, block.text)
      const names = Array.from(block.text.matchAll(/\$\{(\w+)/g), ([, name = '']) => name)
      const env = Object.fromEntries(names.map((name) => [name, `value-of-${name}`]))
      const { warnings } = loadConfig({ file, env: { ...env, STORAGE_POSTGRES_URL: 'postgres://a:b@c/d' } })
      assert.doesNotMatch(warnings.join('\n'), / is not known/, where(block))
    }
  }
})

/** Commands that are not run, and why: those of Tocsin are checked against their help, and all against the shell's grammar. */
const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^(cd|export) /, 'holds a placeholder'],
  [/^aws /, 'needs an account'],
  [
    /^(docker|helm) /,
    'needs Docker or a cluster; the names that they use are checked, test/image and test/chart do the rest',
  ],
  [/^(mkdir|tar) /, 'unpacks the archive, which test/image does'],
  [/^sed /, 'needs the files of the reader'],
  [/^node .*test\/(faults|channels)\//, 'tests of their own'],
  [/^\/usr\/local\/bin\/backup /, 'test/docs/senders.test.ts runs it'],
  [/\/ping\/PING_KEY\/|^runitor /, 'needs a heartbeat; test/system/doors/pings.test.ts sends pings'],
  [/^amtool /, 'test/alertmanager/amtool.test.ts runs it'],
  [/^tocsin (brief|note) 12/, 'needs a problem; test/system/noise/brief.test.ts runs them'],
  [/^echo /, 'follows a command that is not run'],
  [/^(git clone .*|npm (ci|test|start))$/, 'how this test was started'],
  [/^tocsin (serve|demo)\b/, 'runs on'],
  [
    /^tocsin (check|import|mine|oncall|rehearse|render) /,
    'needs a file of the reader; test/commands and test/system run it',
  ],
  [/^tocsin migrate /, 'needs PostgreSQL; test/postgres runs it'],
  [/^psql /, 'needs a server of PostgreSQL'],
  [/^tocsin (explain \w|silence (extend|end) )/, 'needs an id of the reader'],
  [/^tocsin silence add --problem /, 'needs a problem of the reader'],
  [/^tocsin silence add .* --until /, 'its end passes some day'],
]

/** Commands of a block of input, or the lines of a block of output that begin with a prompt. */
function commandsOf({ language, text }: Block): string[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n')
  const typed = language === 'sh' ? lines : lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
  return typed
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(' && '))
    .map((line) =>
      line
        .trim()
        .replace(/ &$/, '')
        .replace(/^([A-Z_]+=\S*\s+)+|^\/opt\/tocsin\/(?=tocsin )/, ''),
    )
    .map((line) => line.replace(/^npm run demo( --(?= ))?/, 'tocsin demo'))
    .filter((line) => line !== '')
}

test('every command of the documentation is run, or has the options of its program', async (t) => {
  const chat = await startProvider('chatws')
  t.after(() => chat.close())
  const chatws = { enable: true, token: 'xoxb', channel_id: 'C1', api_url: chat.url, ...FAST }
  const { url } = await startTestSystem(t, configFile(folder(), { alert: { chatws }, brief: { enable: true } }))
  process.env.GATEWAY_SECRET = process.env.INTAKE_TOKEN = SECRET
  t.mock.method(console, 'log', () => {})

  async function tocsin(line: string, runs: boolean): Promise<void> {
    const [, name = '', ...words] = (await shell(`printf '%s\n' ${line}`)).split('\n').slice(0, -1)
    const command = COMMANDS[name]
    const options = words.filter((word) => word.startsWith('--'))
    assert.deepEqual(
      [command !== undefined, options.filter((each) => !command?.usage.includes(each))],
      [true, []],
      line,
    )
    if (runs) assert.equal(await command?.run([...words, '--url', url]), 0, line)
  }
  const used = new Set<RegExp>()
  for (const block of BLOCKS.filter(({ language }) => language === 'sh' || language === '')) {
    if (block.language === 'sh') await shell(`sh -n <<'END'\n${block.text}\nEND`)
    for (const line of commandsOf(block)) {
      const [left] = NOT_RUN.find(([command]) => command.test(line)) ?? []
      if (left) used.add(left)
      if (line.startsWith('tocsin ')) await tocsin(line, left === undefined)
      else if (left === undefined)
        assert.match(line, /^curl /, `${where(block)}: ${line}: run it, or say why it is not run`)
      if (left === undefined && line.startsWith('curl '))
        await shell(line.replace('localhost:3000', url).replace('curl', 'curl --fail --silent'))
    }
  }
  assert.deepEqual(
    NOT_RUN.filter(([command]) => !used.has(command)),
    [],
    'exceptions without a use',
  )
})

test('every table has a line under its head and as many cells in each row', () => {
  const broken = PAGES.flatMap((page) => {
    const lines = read(page)
      .replace(/^(`{3,})[\s\S]*?^\1$/gm, (code) => code.replace(/[^\n]/g, ''))
      .split('\n')
    return lines.flatMap((line, at) => {
      if (!line.startsWith('|')) return []
      let head = at
      while (lines[head - 1]?.startsWith('|')) head--
      const rule = /^\|(:?-+:?\|)+$/.test((lines[head + 1] ?? '').replaceAll(' ', ''))
      return rule && cells(line) === cells(lines[head] ?? '') ? [] : [`${page}:${at + 1}`]
    })
  })
  assert.deepEqual(broken, [])
})
const cells = (row: string) => row.replaceAll('\\|', '').split('|').length

test('both indexes lead to every page, and every decision', () => {
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
  const links = (index: string) =>
    Array.from(read(index).matchAll(/\]\(([^)#]+)/g), ([, to = '']) => join(index, '..', to))
  const [readme, index] = [links('README.md'), links('docs/README.md')]
  assert.deepEqual(
    pages.filter((page) => !readme.includes(page) && !page.startsWith('docs/adr/')),
    [],
  )
  assert.deepEqual(
    pages.filter((page) => !index.includes(page)),
    [],
  )
})

test('the glossary has every state of a delivery, sender, source and channel, in at most 110 lines', () => {
  const page = read('docs/glossary.md')
  assert.ok(page.split('\n').length <= 111)
  const words = [...DELIVERY_STATES, ...SENDERS, ...SOURCES, ...CHANNEL_NAMES]
  assert.deepEqual(
    words.filter((word) => !page.includes(`\`${word}\``)),
    [],
  )
})

/** Pages for readers of the code, where the words of the database stand. */
const OF_THE_CODE = /^docs\/(adr\/|architecture|data-model|glossary|performance|threat-model|contributing)/

test('pages for users say notified and update, as the API and the dashboard do', () => {
  const old = PAGES.filter((page) => !OF_THE_CODE.test(page)).flatMap((page) =>
    read(page)
      .split('\n')
      .flatMap((line, at) =>
        /\b(told|untold|revisions?)\b/i.test(line.replace('`feeds.enable`, `.revision`', ''))
          ? [`${page}:${at + 1}`]
          : [],
      ),
  )
  assert.deepEqual(old, [])
})

const PRODUCTS = { chatws: 'Slack', msgapp: 'Telegram', messenger: 'Viber', officechat: 'Teams', workchat: 'Lark' }
/** Pages that are generated, or for readers of the code. */
const FOR_KNOWERS =
  /^docs\/(adr\/|architecture|data-model|http-api|performance|rehearsal|threat-model|operations|high-availability)/

test('a page that uses the key of a channel says the product', () => {
  const silent = PAGES.filter((page) => !FOR_KNOWERS.test(page)).flatMap((page) =>
    Object.entries(PRODUCTS)
      .filter(([key, product]) => new RegExp(`\\b${key}\\b`).test(read(page)) && !read(page).includes(product))
      .map(([key]) => `${page}: ${key}`),
  )
  assert.deepEqual(silent, [])
})

test('the profiles and values of deploy/README.md exist', () => {
  const commands = blocksOf('deploy/README.md').flatMap(({ text }) => text.replace(/\\\n/g, ' ').split('\n'))
  const named = (option: string) =>
    commands.flatMap((line) => Array.from(line.matchAll(new RegExp(`--${option} ([\\w.]+)`, 'g')), ([, name]) => name))
  const { services } = parse(read('deploy/compose.yaml')) as { services: Record<string, { profiles?: string[] }> }
  assert.deepEqual(named('profile'), ['demo', 'ha'])
  assert.deepEqual(new Set(Object.values(services).flatMap(({ profiles = [] }) => profiles)), new Set(['demo', 'ha']))
  const values = parseDocument(read('deploy/helm/tocsin/values.yaml'))
  const settings = named('set')
  assert.equal(settings.length, 4)
  assert.deepEqual(
    settings.filter((name = '') => !values.hasIn(name.split('.'))),
    [],
  )
})
