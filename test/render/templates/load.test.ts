import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TextRules } from '../../../src/domain/delivery/message.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { agentWarnings, environmentWarnings } from '../../../src/render/templates/check-warnings.ts'
import { check } from '../../../src/render/templates/compile.ts'
import { loadTemplates, type TemplateSpec } from '../../../src/render/templates/load.ts'
import { setup, template } from '../pool/setup.ts'

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

test('variables that a template reads and may not are named once', () => {
  const text =
    '{{ env "RUNBOOK" }}{{ if env "RUNBOOK" }}{{ env `TEAM` | upper }}{{ "REGION" | env }}{{ end }} env "PROSE" {{ .env }}'
  const [one, shared] = [
    template('chat', text),
    template('_shared', '{{ define "x" }}{{ with env "REGION" }}{{ . }}{{ end }}{{ end }}'),
  ]
  const both = { ...one, source: { ...one.source, shared: [shared.source] } }
  assert.deepEqual(environmentWarnings([both, both], ['TEAM']), [
    'chat.tmpl: reads RUNBOOK, which is empty: templates.env_allow does not list it',
    'chat.tmpl: reads REGION, which is empty: templates.env_allow does not list it',
    '_shared.tmpl: reads REGION, which is empty: templates.env_allow does not list it',
  ])
  assert.deepEqual(environmentWarnings([both], ['TEAM', 'REGION', 'RUNBOOK']), [])
})

test('a template that prints nothing of a finding is named, unless the channel has one for the log agent', async () => {
  const templates = [
    template('blind', 'UNKNOWN: {{ .labels.alertname | default "Unknown Alert" }}'),
    template('branch', '{{ if eq .Source "AI Agent" }}{{ .AlertName }}{{ else }}x{{ end }}'),
    template('titled', '{{ .Tocsin.title }}'),
    template('second', 'x'),
    {
      ...template('second', '{{ .Summary }}'),
      only: 'agent' as const,
      source: { file: 'agent.tmpl', text: '{{ .Summary }}' },
    },
  ]
  const { pool } = setup({ templates })
  const warnings: string[] = []
  for await (const warning of agentWarnings(pool, recognise)) warnings.push(warning)
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0] ?? '',
    /^blind\.tmpl: prints nothing of a finding of the log agent: .*AI Agent.*agent_template_path/,
  )
})
