import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { operate } from '../../harness/net/requests.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { tree, word } from './hostile.ts'

const GO = [
  ...[
    '{{',
    '}}',
    '{{ .',
    '{{ range .a }}',
    '{{ range $i, $x := . }}',
    '{{ end }}',
    '{{ if ',
    '{{ else }}',
    '{{ with .b }}',
  ],
  ...[
    '{{ define "t" }}',
    '{{ template "t" . }}',
    '{{ block "t" . }}',
    '{{ template "t" }}{{ end }}',
    ' | printf "%999999d"',
  ],
  ...['{{ printf "%s%v%d%+v%#v%q%x" . . . . . . . }}', '{{ index . "__proto__" }}', '{{ .constructor.constructor }}'],
  ...['{{ .__proto__.x }}', '{{ env "GATEWAY_SECRET" }}', '{{ regexMatch "(a+)+$" .a }}', '{{ slice .a 0 999999999 }}'],
  ...[
    '{{ $x := . }}',
    '{{ $x }}',
    '{{ safe . }}',
    '{{ len . }}',
    '{{ call . }}',
    '{{ html . }}',
    '{{ js . }}',
    '{{- /* */ -}}',
  ],
]
const ENDLESS = [
  '{{ define "t" }}{{ template "t" . }}{{ end }}{{ template "t" . }}',
  '{{ range .a }}{{ range $.a }}{{ range $.a }}{{ range $.a }}{{ range $.a }}x{{ end }}{{ end }}{{ end }}{{ end }}{{ end }}',
  `${'{{ if . }}'.repeat(5_000)}${'{{ end }}'.repeat(5_000)}`,
  `{{ ${'('.repeat(10_000)}.${')'.repeat(10_000)} }}`,
  '{{ .a '.repeat(3_000),
  `{{ ${'. | '.repeat(20_000)}. }}`,
]
const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.oneof(fc.constantFrom(...GO), word), { maxLength: 20 }).map((all) => all.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ENDLESS) },
)
const request = fc.record({
  channel: fc.constantFrom('chatws', 'officechat'),
  template: text,
  payload: fc.record({ a: fc.oneof(fc.constant(Array(200).fill(1)), tree), b: tree, constructor: tree }),
})

test('a preview of any template is answered, and the service goes on', async (t) => {
  const victim = await startVictim(t)
  const before = victim.rss()
  await holdsFor(t, { share: 0.08, arbitrary: request }, async (asked) => {
    const answer = await operate(`${victim.url}/api/admin/render`, asked)
    const reply = await answer.text()
    assert.ok(
      [200, 400].includes(answer.status),
      `${answer.status} ${reply} to ${JSON.stringify(asked).slice(0, 2_000)}`,
    )
    assert.doesNotMatch(reply, /native code|gateway-secret/)
  })
  await victim.assertSound()
  assertBounded(before, victim.rss())
})
