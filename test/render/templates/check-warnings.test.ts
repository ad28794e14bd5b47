import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recognise } from '../../../src/intake/recognise.ts'
import { agentWarnings, environmentWarnings } from '../../../src/render/templates/check-warnings.ts'
import { setup, template } from '../pool/setup.ts'

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
