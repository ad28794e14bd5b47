import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TextRules } from '../../../src/domain/message.ts'
import { check } from '../../../src/render/templates/compile.ts'
import { loadTemplates, type TemplateSpec } from '../../../src/render/templates/load.ts'

const rules: TextRules = { escaping: 'none', limit: { max: 100, unit: 'utf16' } }
const directory = mkdtempSync(join(tmpdir(), 'templates-'))
after(() => rmSync(directory, { recursive: true }))

function spec(name: string, content?: string | Uint8Array) {
  const path = join(directory, name)
  if (content !== undefined) writeFileSync(path, content)
  return { channel: name.replace(/\..*/, ''), path, rules }
}

const loaded = (...specs: TemplateSpec[]) => loadTemplates(specs, ({ source }) => check(source))

async function errorsOf(...specs: TemplateSpec[]): Promise<string> {
  try {
    await loaded(...specs)
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'template_invalid', String(error))
    return error.message.replaceAll(directory, 'DIR')
  }
  return assert.fail('the templates were loaded')
}

test('templates are read from their files, in the order of their channels', async () => {
  const templates = await loaded(spec('chat.tmpl', 'chat {{.a}}\n'), spec('mail.hbs', 'mail {{a}}\n'))
  assert.deepEqual(
    templates.map(({ channel, source, rules }) => ({ channel, text: source.text, rules })),
    [
      { channel: 'chat', text: 'chat {{.a}}\n', rules },
      { channel: 'mail', text: 'mail {{a}}\n', rules },
    ],
  )
})

test('an error in a template of a rule says which rule names it', async () => {
  const namedBy = 'the rule payments, config.yaml:12'
  assert.equal(
    await errorsOf({ ...spec('gone.tmpl'), namedBy }, { ...spec('bad.tmpl', '{{ if }}'), namedBy }),
    [
      'DIR/gone.tmpl: no such file (named by the rule payments, config.yaml:12)',
      'DIR/bad.tmpl:1:7: missing value for if (named by the rule payments, config.yaml:12)\n  {{ if }}\n        ^',
    ].join('\n'),
  )
})

test('all errors are reported at once, each with its file and position', async () => {
  const errors = await errorsOf(
    spec('good.tmpl', 'good'),
    spec('go.tmpl', 'one\ntwo {{.a}}\nthree {{ nosuchfunction .a }}\n'),
    spec('hb.hbs', 'one\n{{#if a}} two {{/unless}}\n'),
    spec('absent.tmpl'),
    spec('empty.tmpl', ' \n'),
    spec('latin.tmpl', Uint8Array.of(0x66, 0xfc, 0x72)),
  )
  assert.match(errors, /^DIR\/go\.tmpl:3:\d+: /m)
  assert.match(errors, /^DIR\/hb\.hbs:2:\d+: /m)
  assert.match(errors, /^DIR\/absent\.tmpl: no such file$/m)
  assert.match(errors, /^DIR\/empty\.tmpl: the file is empty$/m)
  assert.match(errors, /^DIR\/latin\.tmpl: the file is not UTF-8$/m)
  assert.doesNotMatch(errors, /good/)
})
