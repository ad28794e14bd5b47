import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { CodedError } from '../../../src/domain/errors.ts'
import type { Payload } from '../../../src/domain/incident.ts'
import { sprintf } from '../../../src/render/go/printf.ts'
import { compile } from '../../../src/render/templates/compile.ts'
import { TemplateSyntaxError } from '../../../src/render/templates/template.ts'
import { options, render } from '../rendering.ts'

const payload = {
  s: 'héllo',
  e: '',
  n: 42,
  z: 0,
  f: 3.27159,
  t: true,
  l: ['a', 'b', 'c'],
  li: [3, 1],
  el: [],
  m: { b: 1, a: 'x', C: true },
  em: {},
  ll: [
    [1, 2],
    ['q', 2.5],
  ],
  q: 'a"b\'<&>\n\\',
  u: '日本🔥',
}

describe('the language of Go templates', () => {
  const cases = readFileSync(new URL('./language.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  for (const line of cases) {
    const { template, out } = JSON.parse(line) as { template: string; out: string }
    // Absent values print nothing here, unlike in Go.
    it(template, () =>
      assert.equal(render(template, payload), out.replaceAll('<nil>', '').replaceAll('<no value>', '')),
    )
  }
})

describe('differences from Go', () => {
  it('whole numbers of a payload print in full and fractions without an exponent', () => {
    assert.equal(
      render('{{ .a }} {{ .b }} {{ .c }}', { a: 1e21, b: 1234567, c: 0.0000001 }),
      '1000000000000000000000 1234567 0.0000001',
    )
    assert.equal(
      render('{{ eq .a 3 }} {{ eq .a 3.0 }} {{ gt .b 1 }} {{ lt 1.5 .a }}', { a: 3, b: 1.5 }),
      'true true true true',
    )
  })
  it('a verb or flag that no message needs prints as a bad verb', () =>
    assert.equal(
      render('{{ printf "%#v %#x %U %x" .li .n .n .f }}', payload),
      '%!v([]interface {}=[3 1]) %!x(int=42) %!U(int=42) %!x(float64=3.27159)',
    ))
  it('a missing member is absent at any depth', () => {
    assert.equal(render('[{{ .s.x.y }}{{ .l.x }}{{ .n.x }}{{ (index .l 0).x }}{{ $.gone.x }}]', payload), '[]')
    assert.equal(
      render('{{ .gone | default "d" }}{{ upper .gone }}{{ len .gone }}{{ range .gone }}x{{ else }}none{{ end }}'),
      'd0none',
    )
  })
  it('no template reaches a prototype', () => {
    for (const path of [
      '.constructor',
      '.__proto__',
      '.s.length',
      '.l.length',
      '.l.map',
      '.toString',
      '.m.hasOwnProperty',
      '(dict "a" 1).constructor',
      '(now).constructor',
    ])
      assert.equal(render(`[{{ ${path} }}]`, payload), '[]', path)
    assert.equal(
      render(
        '{{ .constructor }}{{ .__proto__.a }}{{ .length }}',
        JSON.parse('{"constructor":"c","__proto__":{"a":"p"},"length":3}'),
      ),
      'cp3',
    )
    assert.equal(render('{{ index .m "constructor" }}{{ range $k, $v := .m }}{{ $k }}{{ end }}', payload), 'Cab')
  })
  it('times keep their offset and have the methods of Go', () => {
    const time = { t: '2025-03-09T17:04:05.120+05:30' }
    assert.equal(
      render('{{ .t | format "Mon 02 Jan 2006 15:04:05.000 -0700" }} {{ formatTime .t }}', time),
      'Sun 09 Mar 2025 17:04:05.120 +0530 2025-03-09 17:04:05',
    )
    assert.equal(
      render('{{ now }} {{ now.Year }} {{ now.Format "15:04" }} {{ now.UTC.Unix }} {{ format "Jan _2" now }}'),
      '2025-03-14 15:09:26 +0000 UTC 2025 15:09 1741964966 Mar 14',
    )
    assert.equal(
      render('{{ formatTime "02/01/06" .t }} {{ formatTime .t "15h" }} {{ formatTime "x" }}', time),
      '09/03/25 17h Invalid time',
    )
  })
})

describe('helpers of other gateways', () => {
  it('title changes words as Unicode separates them', () => {
    const words = [
      ['order service', 'Order Service'],
      ['ORDER-service', 'Order-Service'],
      ['eu/west:db', 'Eu/West:Db'],
      ['foo.bar e.g. this. that', 'Foo.bar E.g. This. That'],
      ["don't STOP", "Don't Stop"],
      ['my_pool', 'My_pool'],
      ['żÓŁW éclair', 'Żółw Éclair'],
      ['3rd', '3Rd'],
      ['', ''],
    ] as const
    for (const [from, to] of words) assert.equal(render('{{ title .s }}', { s: from }), to)
  })
  it('format reads times and days, formatTime times alone', () => {
    const cases = [
      ['2026-03-09T17:04:05Z', '09 Mar 17:04 UTC', '2026-03-09 17:04:05'],
      ['2026-03-09T17:04:05+02:00', '09 Mar 17:04 +0200', '2026-03-09 17:04:05'],
      ['2026-03-09 17:04:05', '09 Mar 17:04 UTC', '2026-03-09 17:04:05'],
      ['2026/03/09 17:04:05', '09 Mar 17:04 UTC', '2026-03-09 17:04:05'],
      ['2026-03-09', '09 Mar 00:00 UTC', 'Invalid time'],
      ['03/09/2026', '09 Mar 00:00 UTC', 'Invalid time'],
      ['soon', 'Invalid time format', 'Invalid time'],
      [null, 'Unsupported type for format: ', ''],
      [undefined, 'Unsupported type for format: ', ''],
    ] as const
    for (const [t, formatted, time] of cases)
      assert.equal(render('{{ format "02 Jan 15:04 MST" .t }}|{{ formatTime .t }}', { t }), `${formatted}|${time}`)
  })
  it('a pattern that does not parse matches nothing, however often it is asked', () =>
    assert.equal(
      render('{{ regexMatch "(" .s }}{{ regexMatch "(" .s }}{{ regexMatch "h" .s }}', payload),
      'falsefalsetrue',
    ))
  it('an assignment needs a blank behind its variable, a declaration does not', () =>
    assert.equal(render('{{ $x:=1 }}{{ $x =2 }}{{ $x }}'), '2'))
})

describe('a template that does not parse', () => {
  const errors: [string, number, number, RegExp][] = [
    ['a\nb {{ nosuch .a }}', 2, 6, /function "nosuch" not defined/],
    ['{{ if false }}{{ nosuch }}{{ end }}', 1, 18, /function "nosuch"/],
    ['é🔥 {{ $x }}', 1, 7, /undefined variable "\$x"/],
    ['{{ .a', 1, 6, /unclosed action/],
    ['x\n{{ "abc }}', 2, 4, /unterminated quoted string/],
    ['{{ .a.b. }}', 1, 8, /unexpected/],
    ['{{ if .a }}\n\n{{ else }}', 3, 11, /unexpected EOF/],
    ['{{ end }}', 1, 4, /unexpected \{\{end\}\}/],
    ['{{ .a }}\n{{ break }}', 2, 4, /outside \{\{range\}\}/],
    ['{{ define "a" }}x{{ end }}\n{{ define "a" }}y{{ end }}', 2, 11, /multiple definition/],
    ['{{ 1 | 2 }}', 1, 8, /non executable command/],
    ['{{ "\\q" }}', 1, 4, /invalid escape/],
    ['{{ 3i }}', 1, 4, /bad number syntax: "3i"/],
    ['{{ 0x1p4 }}', 1, 4, /bad number syntax: "0x1p"/],
    ['{{ 1_000 }}', 1, 4, /bad number syntax: "1_"/],
    ['{{ 017 }}', 1, 4, /illegal number syntax: "017"/],
    ['{{ $x := 1 }}{{ $x=2 }}', 1, 19, /bad character U\+003D '='/],
  ]
  for (const [text, line, column, reason] of errors)
    it(`names the position: ${JSON.stringify(text)}`, () =>
      assert.throws(
        () => compile({ file: 'templates/x.tmpl', text }, options()),
        (error) => {
          assert.ok(error instanceof TemplateSyntaxError)
          assert.deepEqual(
            [error.code, error.file, error.line, error.column],
            ['template_invalid', 'templates/x.tmpl', line, column],
          )
          assert.match(error.reason, reason)
          assert.ok(error.message.startsWith(`templates/x.tmpl:${line}:${column}: ${error.reason}\n`))
          return true
        },
      ))
  it('shows the line with a caret', () =>
    assert.throws(() => render('one\n\t{{ nosuch }}\n'), /\n {2}\t\{\{ nosuch \}\}\n {2}\t {3}\^$/))
})

describe('a template that fails', () => {
  it('names the position', () => {
    const failures: [string, string][] = [
      ['x\n {{ index .l 7 }}', 'test.tmpl:2:5: index out of range: 7'],
      ['{{ slice .l 2 1 }}', 'test.tmpl:1:4: invalid slice index: 2 > 1'],
      ['{{ len 3 }}', 'test.tmpl:1:4: len of type int'],
      ['{{ eq .l .l }}', 'test.tmpl:1:4: a []interface {} cannot be compared'],
      ['{{ lt 1 "a" }}', 'test.tmpl:1:4: incompatible types for comparison: int and string'],
      ['{{ upper .l }}', 'test.tmpl:1:4: expected a string, got []interface {}'],
      ['{{ template "gone" }}', 'test.tmpl:1:4: template "gone" not defined'],
      ['{{ range .s }}{{ end }}', "test.tmpl:1:4: range can't iterate over string"],
      ['{{ .s 1 }}', 'test.tmpl:1:4: s has arguments but cannot be invoked as function'],
      ['{{ nil }}', 'test.tmpl:1:4: nil is not a command'],
      ['{{ upper }}', 'test.tmpl:1:4: wrong number of arguments for upper: want 1, got 0'],
    ]
    for (const [text, message] of failures)
      assert.throws(
        () => render(text, payload),
        (error) => {
          assert.ok(error instanceof CodedError && error.code === 'template_failed')
          assert.equal(error.message.slice(0, message.length), message)
          return true
        },
      )
  })
})

describe('helpers for messages', () => {
  const data = {
    l: ['a ', 1, { b: '<x>' }, ['p', null]],
    m: { a: 1, b: 2 },
    s: ' one\r\n  two\nthree ',
    long: 'x'.repeat(50),
  }
  const shows = (template: string, out: string) =>
    it(template, () => assert.equal(render(template, data, { escaping: 'html' }), out))

  shows('{{ show .l }}', 'a, 1, {&#34;b&#34;:&#34;&lt;x&gt;&#34;}, p, ')
  shows('{{ show .m.a }}{{ show .gone }}{{ show "<b>" }}', '1<b>')
  shows('{{ oneLine .s }}|{{ oneLine .s 8 }}|{{ .long | oneLine 5 }}', 'one two three|one two…|xxxx…')
  shows('{{ oneLine (html "a<b") 4 }}', 'a…')
  shows(
    '{{ range $k, $v := omit .m "a" }}{{ $k }}{{ $v }}{{ end }}{{ len (omit .l) }}{{ len (omit .gone "a") }}',
    'b200',
  )
  shows(
    '{{ kindIs "map" .m }} {{ kindIs "slice" .l }} {{ kindIs "string" .s }} {{ .gone | kindIs "invalid" }}',
    'true true true true',
  )
  shows('{{ kindIs "map" .l }} {{ kindIs "int" .m.a }} {{ kindIs "float64" 1.5 }}', 'false true true')
  shows('{{ isURL "https://a.example.net/x?y=1" }} {{ isURL "http://a" }}', 'true true')
  shows('{{ isURL "javascript:x" }}{{ isURL "https://a b" }}{{ isURL 7 }}{{ isURL .gone }}', 'falsefalsefalsefalse')
})

interface Case {
  id: string
  group: string
  template: string
  data: Payload
  defines?: { [name: string]: string }
  env?: { [name: string]: string }
  now?: string
  out?: string
  error?: 'parse'
}

const cases: Case[] = readFileSync(new URL('./golden.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

/** Returns the definitions followed by the template; their order does not matter. */
function textOf({ template, defines = {} }: Case): string {
  const parts = Object.entries(defines).map(([name, body]) =>
    body.includes('{{define') ? body : `{{define ${JSON.stringify(name)}}}${body}{{end}}`,
  )
  return parts.join('') + template
}

function check(one: Case): void {
  const options = {
    escaping: 'none',
    env: (name: string) => one.env?.[name],
    now: () => new Date(one.now ?? '2025-03-14T15:09:26Z'),
  } as const
  const source = { file: `${one.id}.tmpl`, text: textOf(one) }
  if (one.error) assert.throws(() => compile(source, options), TemplateSyntaxError, one.id)
  else assert.equal(compile(source, options)(one.data), one.out, one.id)
}

describe('the golden templates render as Go does', () => {
  for (const group of new Set(cases.map((one) => one.group))) {
    it(group, () => {
      const failures: string[] = []
      for (const one of cases.filter((candidate) => candidate.group === group)) {
        try {
          check(one)
        } catch (error) {
          failures.push(`${one.id} ${JSON.stringify(one.template)}: ${(error as Error).message}`)
        }
      }
      assert.deepEqual(failures, [])
    })
  }
})

it('printf reads a format of many indexes without an end in one go', () => {
  assert.equal(
    sprintf('%['.repeat(400_000), [], (text) => text),
    '%['.repeat(200_000),
  )
})
