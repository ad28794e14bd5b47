import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseDocument } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { CHANNEL_NAMES, DELIVERY_STATES } from '../../src/domain/delivery/delivery.ts'
import { SENDERS, SOURCES } from '../../src/domain/incident.ts'
import { folder } from '../harness/config-file.ts'
import { BLOCKS, blocksOf, PAGES, read, where } from './pages.ts'

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
