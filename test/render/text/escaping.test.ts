import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { CHANNELS } from '../../../src/channels/index.ts'
import { CHANNEL_NAMES } from '../../../src/domain/delivery/delivery.ts'
import { fitWithLine, withLine, withRoomForLine } from '../../../src/render/text/fallback.ts'
import { COSTS } from '../../../src/render/text/fitting/cost.ts'
import { render } from '../rendering.ts'

const payload = {
  evil: `<b>&"'</b>`,
  mention: '<!channel>',
  sev: 'critical',
  list: ['<i>'],
  map: { '<k>': '<v>' },
  format: '<%s>',
}
const html = (text: string) => render(text, payload, { escaping: 'html' })
const chat = (text: string) => render(text, payload, { escaping: 'chat' })

describe('values of the payload', () => {
  it('are escaped for HTML', () => assert.equal(html('{{ .evil }}'), '&lt;b&gt;&amp;&#34;&#39;&lt;/b&gt;'))
  it('are escaped for chat, except quotes', () => assert.equal(chat('{{ .evil }}'), `&lt;b&gt;&amp;"'&lt;/b&gt;`))
  it('open no tag, no mention, no code and no link in Markdown, and stay readable', () => {
    const of = (value: string) => render('{{ .value }}', { value }, { escaping: 'markdown' })
    assert.equal(of('<at id=all></at>'), '&#60;at id=all>&#60;/at>')
    assert.equal(of('[pay here](https://evil.example) `x` ```y'), "[pay here] (https://evil.example) 'x' '''y")
    assert.equal(of('a_b *c* & "d" #1 - e'), 'a_b *c* & "d" #1 - e')
    assert.equal(render('**{{ .v }}** `{{ safe .v }}`', { v: 'a<b' }, { escaping: 'markdown' }), '**a&#60;b** `a<b`')
  })
  it('stay as they are in code of Markdown, but for what would end it or be a tag where code is not understood', () => {
    const of = (text: string, v: string, file = 'test.tmpl') =>
      render(text, { v, list: [v, v] }, { escaping: 'markdown', file })
    const evil = 'a <*> & 100% <at id=all> [x](https://evil.example) `c` ```d'
    const broken = 'a <*> & 100% < at id=all> [x] (https://evil.example)'
    for (const file of ['test.tmpl', 'test.hbs']) {
      assert.equal(
        of('**Pattern** `{{ .v }}` x {{ .v }}', 'ERROR <*> Map<String> < 1', file),
        '**Pattern** `ERROR <*> Map< String> < 1` x ERROR &#60;*> Map&#60;String> &#60; 1',
      )
      assert.equal(of('`{{ .v }}`', evil, file), `\`${broken} 'c' '''d\``)
      assert.equal(
        of('x\n```\n{{ .v }}\n```\n{{ .v }}', evil, file),
        `x\n\`\`\`\n${broken} \`c\` '''d\n\`\`\`\na &#60;*> & 100% &#60;at id=all> [x] (https://evil.example) 'c' '''d`,
      )
    }
    assert.equal(
      of('```text\n{{ range .list }}{{ if . }}{{ . }}\n{{ end }}{{ end }}```\n', 'L<T> `x`'),
      '```text\nL< T> `x`\nL< T> `x`\n```\n',
    )
    assert.equal(
      of('{{ range .list }}- `{{ . }}` {{ . }}\n{{ end }}', 'L<T>'),
      '- `L< T>` L&#60;T>\n- `L< T>` L&#60;T>\n',
    )
    assert.equal(of('``{{ .v }}`` ` {{ .v }}\n{{ .v }} `', 'L<T>'), '``L< T>`` ` L&#60;T>\nL&#60;T> `')
    assert.equal(of('```\n{{ .v }}\nnever closed', 'L<T>'), '```\nL&#60;T>\nnever closed')
  })
  it('make no tag together', () => {
    const text = '{{ .a }}{{ .b }} `{{ .a }}{{ .b }}`'
    const made = render(text, { a: '<', b: 'at id=all>' }, { escaping: 'markdown' })
    assert.equal(made, '&#60;at id=all> `< at id=all>`')
  })
  it('are not changed without escaping', () => assert.equal(render('{{ .evil }}', payload), payload.evil))
  it('are escaped inside lists and maps', () =>
    assert.equal(html('{{ .list }}{{ .map }}'), '[&lt;i&gt;]map[&lt;k&gt;:&lt;v&gt;]'))
  it('are escaped after every helper', () => {
    for (const helper of ['upper', 'lower', 'title', 'trim', 'print', 'printf "%s"', 'toString', 'toJson', 'js'])
      assert.doesNotMatch(html(`{{ .mention | ${helper} }}`), /[<>]/, helper)
    assert.equal(html('{{ join .list "<br>" }}{{ replace .mention "!" "<b>" }}'), '&lt;i&gt;&lt;&lt;b&gt;channel&gt;')
    assert.equal(html('{{ printf .format .sev }}'), '&lt;critical&gt;')
    assert.equal(chat('{{ env "REGION" }}'), 'eu &lt;north&gt;')
  })
  it('are escaped through variables, loops, templates and include', () => {
    assert.equal(chat('{{ $x := .mention }}{{ $x }}'), '&lt;!channel&gt;')
    assert.equal(chat('{{ range .list }}{{ . }}{{ end }}'), '&lt;i&gt;')
    assert.equal(chat('{{ define "t" }}<b>{{ . }}{{ end }}{{ template "t" .mention }}'), '<b>&lt;!channel&gt;')
    assert.equal(chat('{{ define "t" }}<b>{{ . }}{{ end }}{{ include "t" .mention }}'), '<b>&lt;!channel&gt;')
  })
})

describe('text of the template', () => {
  it('is not escaped, also in literals', () => assert.equal(chat('<!here> {{ "<!here>" }}'), '<!here> <!here>'))
  it('is not escaped in a variable or a default', () => {
    assert.equal(
      chat('{{ $m := "<!here>" }}{{ if eq .sev "critical" }}{{ $m = "<!channel>" }}{{ end }}{{ $m }}'),
      '<!channel>',
    )
    assert.equal(html('{{ .none | default "<i>none</i>" }}{{ or .none "<hr>" }}'), '<i>none</i><hr>')
    assert.equal(html('{{ index (dict "critical" "<b>!</b>") .sev }}'), '<b>!</b>')
  })
  it('keeps its markup in printf and print around escaped values', () => {
    assert.equal(html('{{ printf "<b>%s</b>" .evil }}'), '<b>&lt;b&gt;&amp;&#34;&#39;&lt;/b&gt;</b>')
    assert.equal(html('{{ print "<b>" .mention "</b>" }}'), '<b>&lt;!channel&gt;</b>')
    assert.equal(html('{{ printf "%-4s|" .sev }}{{ printf "%d<br>" 3 }}'), 'critical|3<br>')
  })
  it('still equals the same text of the payload', () =>
    assert.equal(
      html('{{ $s := "critical" }}{{ eq .sev $s }} {{ eq $s "critical" }} {{ len $s }} {{ index .map "<k>" }}'),
      'true true 8 &lt;v&gt;',
    ))
})

describe('text that is escaped already', () => {
  it('is not escaped twice after html and escapeHTML', () => {
    assert.equal(html('{{ html .mention }}{{ .mention | escapeHTML }}'), '&lt;!channel&gt;&lt;!channel&gt;')
    assert.equal(chat('{{ html .mention }}'), '&lt;!channel&gt;')
    assert.equal(html('{{ html .mention | upper }}'), '&lt;!CHANNEL&gt;')
    assert.equal(html('{{ printf "<b>%s</b>" (html .mention) }}'), '<b>&lt;!channel&gt;</b>')
  })
  it('is never cut through an entity', () => {
    assert.equal(
      html('{{ truncate (html .evil) 6 }}|{{ truncate (html .evil) 4 }}|{{ .evil | html | truncate 2 }}'),
      '&lt;b|&lt;|',
    )
    assert.equal(html('{{ truncate .evil 2 }}'), '&lt;b')
  })
  it('is not escaped when declared safe', () => {
    assert.equal(html('{{ safe .evil }}{{ .mention | safe }}'), `${payload.evil}<!channel>`)
    assert.equal(render('{{ safe .evil }}', payload), payload.evil)
  })
})

describe('a .hbs template', () => {
  const hbs = (text: string) => render(text, payload, { escaping: 'html', file: 'x.hbs' })
  it('escapes two braces and not three', () =>
    assert.equal(hbs('<b>{{.mention}}</b>{{{mention}}}'), '<b>&lt;!channel&gt;</b><!channel>'))
  it('escapes for the channel', () =>
    assert.equal(render('{{.evil}}', payload, { escaping: 'chat', file: 'x.hbs' }), `&lt;b&gt;&amp;"'&lt;/b&gt;`))
  it('does not escape twice', () =>
    assert.equal(hbs('{{html mention}}{{safe .mention}}'), '&lt;!channel&gt;<!channel>'))
})

const LINE = '🔁 ×14 since 03:12 UTC, last 03:40 UTC'

test('a line at the end of a text is never cut, whatever the text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 50 }),
    fc.string({ minLength: 9_000, maxLength: 12_000 }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...CHANNEL_NAMES), text, (name, given) => {
      const { text: rules } = CHANNELS[name]
      const fitted = fitWithLine(given, LINE, rules, 'https://tocsin.example.net/#/incidents/1')
      assert(fitted.text.includes('🔁 ×14 since 03:12 UTC, last 03:40 UTC'), fitted.text.slice(-200))
      const max = rules.limit.unit === 'json-bytes' ? rules.limit.max - 2 : rules.limit.max
      if (rules.limit.unit === 'utf16') assert(COSTS.utf16.of(fitted.text) <= max)
      assert(
        COSTS[rules.limit.unit].prefixWithin(fitted.text, max) === fitted.text.length || rules.limit.unit === 'visible',
      )
    }),
    { seed: 20_300_101, numRuns: 60 },
  )
})

test('a text without a line stays as it was', () => {
  const { text: rules } = CHANNELS.chatws
  assert.equal(fitWithLine('text', undefined, rules, '').text, 'text')
  assert.equal(withRoomForLine(undefined, rules), rules)
  assert.deepEqual(withLine({ text: 'text' }, undefined, rules), { text: 'text' })
  assert.deepEqual(withLine({ text: 'text' }, LINE, rules), { text: `text\n${LINE}` })
})

test('a line is escaped as the text of its channel', () => {
  const line = (name: 'chatws' | 'msgapp') => withLine({ text: 'text' }, 'by <b>Ada & Co', CHANNELS[name].text).text
  assert.deepEqual([line('chatws'), line('msgapp')], Array(2).fill('text\nby &lt;b&gt;Ada &amp; Co'))
})
