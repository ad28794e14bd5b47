import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { check } from '../../../src/render/templates/compile.ts'
import { readSource } from '../../../src/render/templates/load.ts'
import { watchTemplates } from '../../../src/render/templates/watch.ts'

const rules = { escaping: 'none', limit: { max: 1_000, unit: 'utf16' } } as const
const root = mkdtempSync(join(tmpdir(), 'watch-'))
const closing: (() => void)[] = []
after(() => {
  for (const close of closing) close()
  rmSync(root, { recursive: true })
})

/** Watched template files, one of which holds `first`. `next` returns the next report of the watcher. */
function watched(name: string, prepare = (path: string) => writeFileSync(path, 'first'), channels = ['chat']) {
  const directory = join(root, name)
  mkdirSync(directory)
  const path = join(directory, 'chat.tmpl')
  prepare(path)
  const reports: string[] = []
  let wake = () => {}
  const report = (what: string) => {
    reports.push(what.replaceAll(directory, 'DIR'))
    wake()
  }
  const specs = channels.map((channel) => ({ channel, path: join(directory, `${channel}.tmpl`), rules }))
  const templates = specs.map(({ channel, path }) => ({ channel, source: readSource(path), rules }))
  const watch = watchTemplates(templates, {
    async onChange({ channel, source }) {
      check(source)
      const { shared = [], text } = source
      report([`${channel}: ${text}`, ...shared.map((each) => each.text)].join(' + '))
    },
    onError: report,
  })
  closing.push(() => watch.close())
  // The watcher does not keep the process running, so an interval does.
  const up = setInterval(() => {}, 1_000)
  closing.push(() => clearInterval(up))
  const next = async () => {
    while (reports.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return reports.shift()
  }
  return { directory, path, next }
}

test('a changed file is reloaded', async () => {
  const { path, next } = watched('write')
  writeFileSync(path, 'second')
  assert.equal(await next(), 'chat: second')
})

test('a file that is replaced by renaming is reloaded, and so is a later edit', async () => {
  const { directory, path, next } = watched('rename')
  for (const text of ['second', 'third']) {
    writeFileSync(join(directory, 'chat.tmpl.new'), text)
    renameSync(join(directory, 'chat.tmpl.new'), path)
    assert.equal(await next(), `chat: ${text}`)
  }
  writeFileSync(path, 'fourth')
  assert.equal(await next(), 'chat: fourth')
})

test('a template behind a changed link is reloaded', async () => {
  const { directory, next } = watched('link', (path) => {
    const version = (name: string) => join(path, '..', name)
    for (const name of ['first', 'second']) {
      mkdirSync(version(name))
      writeFileSync(join(version(name), 'chat.tmpl'), name)
    }
    symlinkSync('first', version('current'))
    symlinkSync('current/chat.tmpl', path)
  })
  symlinkSync('second', join(directory, 'next'))
  renameSync(join(directory, 'next'), join(directory, 'current'))
  assert.equal(await next(), 'chat: second')
})

test('an edit that does not parse is reported once, and the next valid one is loaded', async () => {
  const { path, next } = watched('broken')
  writeFileSync(path, 'a\nb {{ nosuchfunction }}')
  assert.match((await next()) ?? '', /^DIR\/chat\.tmpl:2:/)
  writeFileSync(path, 'second')
  assert.equal(await next(), 'chat: second')
})

test('a missing or empty file is reported, and loaded when it is back', async () => {
  const { path, next } = watched('gone')
  unlinkSync(path)
  assert.equal(await next(), 'DIR/chat.tmpl: no such file')
  writeFileSync(path, '')
  assert.equal(await next(), 'DIR/chat.tmpl: the file is empty')
  writeFileSync(path, 'second')
  assert.equal(await next(), 'chat: second')
})

const define = (text: string) => `{{ define "said" }}${text}{{ end }}`

/** Two templates that use a definition of a third file. */
function sharing(name: string) {
  const prepare = (path: string) => {
    for (const file of ['chat.tmpl', 'mail.tmpl']) writeFileSync(join(path, '..', file), '{{ template "said" }}')
    writeFileSync(join(path, '..', '_said.tmpl'), define('first'))
  }
  const { directory, next } = watched(name, prepare, ['chat', 'mail'])
  return { shared: join(directory, '_said.tmpl'), next }
}

test('an edit of a shared file reloads every template beside it', async () => {
  const { shared, next } = sharing('shared')
  writeFileSync(shared, define('second'))
  assert.equal(await next(), `chat: {{ template "said" }} + ${define('second')}`)
  assert.equal(await next(), `mail: {{ template "said" }} + ${define('second')}`)
})

test('a shared file that is missing or does not parse is reported once, and the templates stay', async () => {
  const { shared, next } = sharing('broken-shared')
  unlinkSync(shared)
  assert.equal(await next(), 'DIR/_said.tmpl: no such file')
  writeFileSync(shared, 'a\n{{ define "said" }}{{ nosuchfunction }}{{ end }}')
  assert.match((await next()) ?? '', /^DIR\/_said\.tmpl:2:23: /)
  writeFileSync(shared, define('second'))
  assert.match((await next()) ?? '', /^chat: /)
  assert.match((await next()) ?? '', /^mail: /)
})
