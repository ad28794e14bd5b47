import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createPrinter } from '../../../src/render/templates/channel-printer.ts'
import { check, compile } from '../../../src/render/templates/compile.ts'
import { loadTemplates, readSource } from '../../../src/render/templates/load.ts'
import { options } from '../rendering.ts'

const rules = { escaping: 'none', limit: { max: 1_000, unit: 'utf16' } } as const
const root = mkdtempSync(join(tmpdir(), 'shared-'))
after(() => rmSync(root, { recursive: true }))

function directory(files: { readonly [name: string]: string }): string {
  const path = mkdtempSync(join(root, 'd-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

/** Returns the text that `main.tmpl` of these files prints for an empty payload. */
function printed(files: { readonly [name: string]: string }): string {
  return compile(readSource(join(directory(files), 'main.tmpl')), options())({})
}

async function errorOf(files: { readonly [name: string]: string }, names = ['main.tmpl']): Promise<string> {
  const path = directory(files)
  try {
    const specs = names.map((name) => ({ channel: name, path: join(path, name), rules }))
    await loadTemplates(specs, ({ source }) => check(source))
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(path, 'DIR') : String(error)
  }
  return assert.fail('the template was loaded')
}

describe('files _*.tmpl beside a template', () => {
  it('define what the template uses', async () =>
    assert.equal(
      printed({ 'main.tmpl': '[{{ template "x" 1 }}]', '_a.tmpl': '{{ define "x" }}x{{ . }}{{ end }}' }),
      '[x1]',
    ))

  it('are overridden by definitions of the template, also empty ones, and of files later in the alphabet', async () =>
    assert.equal(
      printed({
        'main.tmpl': '{{ define "gap" }}{{ end }}{{ define "own" }}main{{ end }}{{ template "all" }}',
        '_a.tmpl':
          '{{ define "own" }}a{{ end }}{{ define "gap" }}-{{ end }}{{ define "all" }}{{ template "own" }}{{ template "gap" }}{{ template "late" }}{{ end }}{{ define "late" }}a{{ end }}',
        '_b.tmpl': '{{ define "late" }} b{{ end }}',
      }),
      'main b',
    ))

  it('may hold only comments and blank lines outside of definitions', async () => {
    const define = '{{ define "x" }}x{{ end }}\n'
    assert.equal(printed({ 'main.tmpl': '{{ template "x" }}', '_a.tmpl': `{{/* words */}}\n\n${define}` }), 'x')
    assert.match(
      await errorOf({ 'main.tmpl': 'm', '_a.tmpl': `${define}\n  stray` }),
      /^DIR\/_a\.tmpl:3:3: a shared file prints nothing/,
    )
    assert.match(await errorOf({ 'main.tmpl': 'm', '_a.tmpl': `${define}{{ .a }}` }), /^DIR\/_a\.tmpl:2:\d+: /)
  })

  it('are named in their syntax errors, once for all templates', async () => {
    const files = { 'main.tmpl': 'm', 'other.tmpl': 'o', '_a.tmpl': '\n\n{{ define "x" }}{{ nosuch }}{{ end }}' }
    assert.match(await errorOf(files, ['main.tmpl', 'other.tmpl']), /^DIR\/_a\.tmpl:3:\d+: [^\n]*\n[^\n]*\n[^\n]*$/)
    assert.match(await errorOf({ 'main.tmpl': 'm', '_a.tmpl': '' }), /^DIR\/_a\.tmpl: the file is empty$/)
  })

  it('are named in errors while rendering, and so is the template itself', () => {
    const shared = '{{/* one\ntwo */}}\n{{ define "x" }}{{ index 1 . }}{{ end }}'
    const fails = (main: string) => () =>
      printed({ 'main.tmpl': main, '_a.tmpl': shared, '_b.tmpl': '{{ define "y" }}{{ end }}' })
    assert.throws(fails('a\nb{{ template "x" }}'), /_a\.tmpl:3:\d+: can't index/)
    assert.throws(fails('a\nb{{ index 1 2 }}'), /main\.tmpl:2:\d+: can't index/)
  })

  it('can be used in subject and body of a mail', () => {
    const path = directory({
      'main.tmpl': 'Subject: {{ template "x" }}\nbody {{ template "x" }}',
      '_a.tmpl': '{{ define "x" }}x{{ end }}',
    })
    const print = createPrinter(readSource(join(path, 'main.tmpl')), {
      rules: { ...rules, subject: true },
      env: () => undefined,
      now: () => new Date(0),
    })
    assert.deepEqual(print({}), { subject: 'x', text: 'body x' })
  })

  it('are not used by Handlebars templates', () => {
    const path = directory({ 'main.hbs': 'm', '_a.tmpl': '{{ nosuch }}' })
    assert.equal(readSource(join(path, 'main.hbs')).shared, undefined)
  })
})
