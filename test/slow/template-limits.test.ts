import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import { compile } from '../../src/render/templates/compile.ts'
import { TemplateSyntaxError } from '../../src/render/templates/template.ts'
import { options, render } from '../render/rendering.ts'

const coded = (code: string) => (error: unknown) => error instanceof CodedError && error.code === code

describe('a template that exceeds a limit', () => {
  it('fails when it calls itself without end', () => {
    assert.throws(
      () => render('{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}'),
      coded('template_failed'),
    )
    assert.throws(
      () => render('{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}'),
      coded('template_failed'),
    )
  })
  it('renders the next payload as before', () => {
    const text =
      '{{ define "r" }}{{ template "r" . }}{{ end }}{{ $x := .a }}{{ if eq .a "boom" }}{{ template "r" . }}{{ end }}{{ $x }}'
    const template = compile({ file: 'x.tmpl', text }, options())
    assert.throws(() => template({ a: 'boom' }), coded('template_failed'))
    assert.equal(template({ a: 'fine' }), 'fine')
  })
  it('may print 1 MiB of UTF-8', () => {
    assert.equal(render('{{ range 1024 }}{{ $.k }}{{ end }}', { k: 'x'.repeat(1024) }).length, 1024 * 1024)
    assert.throws(
      () => render('{{ range 1024 }}{{ $.k }}{{ end }}.', { k: 'x'.repeat(1024) }),
      coded('template_output'),
    )
    assert.throws(() => render('{{ range 1024 }}{{ $.k }}{{ end }}', { k: 'é'.repeat(600) }), coded('template_output'))
    assert.throws(() => render('{{ .k }}', { k: 'xxxx' }, { maxBytes: 3 }), coded('template_output'))
    const rows = { rows: Array.from({ length: 2000 }, () => 'row') }
    const loop = '{{#each .rows}}{{#each @root.rows}}{{this}}{{/each}}{{/each}}'
    assert.throws(() => render(loop, rows, { file: 'x.hbs' }), coded('template_output'))
  })
  it('fails before memory is exhausted', () => {
    for (const text of [
      '{{ range 1000000000 }}x{{ end }}',
      '{{ range 100000 }}{{ range 100000 }}{{ $ }}{{ end }}{{ end }}',
      '{{ $s := "xxxxxxxxxx" }}{{ range 64 }}{{ $s = printf "%s%s" $s $s }}{{ end }}{{ $s }}',
      '{{ $s := .k }}{{ range 64 }}{{ $s = print $s $s }}{{ end }}{{ len $s }}',
      '{{ $s := "<" }}{{ range 64 }}{{ $s = print $s $s }}{{ end }}{{ len $s }}',
      '{{ $s := .k }}{{ range 64 }}{{ $s = println $s $s }}{{ end }}{{ len $s }}',
      '{{ $s := .k }}{{ range 64 }}{{ $s = printf "%s%s" $s $s }}{{ end }}{{ len $s }}',
      '{{ $s := .k }}{{ range 64 }}{{ $s = printf "" $s $s }}{{ end }}{{ len $s }}',
      '{{ $s := .k }}{{ range 64 }}{{ $s = include "d" $s }}{{ end }}{{ len $s }}{{ define "d" }}{{ . }}{{ . }}{{ end }}',
      '{{ $s := .k }}{{ range 64 }}{{ $s = html $s $s }}{{ end }}{{ len $s }}',
      '{{ $s := "\\\\" }}{{ range 64 }}{{ $s = js $s }}{{ end }}{{ len $s }}',
      '{{ $s := .k }}{{ range 64 }}{{ $s = urlquery $s $s }}{{ end }}{{ len $s }}',
      '{{ $s := "\\\\" }}{{ range 64 }}{{ $s = toJson $s }}{{ end }}{{ len $s }}',
      '{{ $s := "2" }}{{ range 64 }}{{ $s = format $s "2025-12-12T12:12:12Z" }}{{ end }}{{ len $s }}',
      '{{ $s := "2" }}{{ range 64 }}{{ $s = formatTime "2025-12-12T12:12:12Z" $s }}{{ end }}{{ len $s }}',
      '{{ $l := list .k }}{{ range 64 }}{{ $l = list $l $l }}{{ end }}{{ len (show $l) }}',
      `{{ $s := .k }}{{ range 19 }}{{ $s = print $s $s }}{{ end }}${'{{ $s }}'.repeat(2000)}`,
      '{{ $s := "xxxxxxxxxx" }}{{ range 64 }}{{ $s = replace $s "x" $s }}{{ end }}{{ $s }}',
      '{{ $s := "xxxxxxxxxx" }}{{ range 64 }}{{ $s = add $s $s }}{{ end }}{{ $s }}',
      '{{ $l := list 1 }}{{ range 64 }}{{ $l = list $l $l }}{{ end }}{{ $l }}',
      '{{ $l := list 1 }}{{ range 64 }}{{ $l = list $l $l }}{{ end }}{{ toJson $l }}{{ printf "%d" $l }}',
      '{{ $l := list 1 }}{{ range 100000 }}{{ $l = list $l }}{{ end }}{{ $l }}',
      '{{ range 2 }}{{ printf "%*d" 1000000 1 }}{{ end }}',
    ])
      assert.throws(() => render(text, { a: 1, k: 'x&' }, { escaping: 'html' }), CodedError, text)
  })
  it('has the same maximum width of numbers as in Go', () => {
    assert.equal(render('{{ printf "%1000001d" 1 }}'), '%!(NOVERB)%!(EXTRA int=1)')
  })
})

describe('a template that is nested too deep is a syntax error', () => {
  const deep = (piece: string) => piece.repeat(100_000)
  for (const [name, text] of [
    ['parentheses', `{{ ${deep('(')}`],
    ['ifs', deep('{{ if .a }}')],
    ['else ifs', `{{ if .a }}${deep('{{ else if .b }}')}{{ end }}`],
    ['ranges', deep('{{ range . }}')],
    ['pipes', `{{ .a ${deep('| len ')}}}`],
    ['definitions', deep('{{ define "x" }}')],
    ['blocks', deep('{{ block "x" . }}')],
  ] as const)
    it(name, () => assert.throws(() => compile({ file: 'x.tmpl', text }, options()), TemplateSyntaxError))
  for (const [name, text] of [
    ['parentheses of .hbs', `{{ ${deep('(')}`],
    ['blocks of .hbs', deep('{{#if a}}')],
    ['else ifs of .hbs', `{{#if a}}${deep('{{else if b}}')}{{/if}}`],
    ['sections of .hbs', deep('{{#a}}')],
    ['inverted sections of .hbs', deep('{{^a}}')],
  ] as const)
    it(name, () => assert.throws(() => compile({ file: 'x.hbs', text }, options()), TemplateSyntaxError))
})

describe('a long template', () => {
  it('may have any number of breaks', () => {
    const text = `{{ range .l }}${'{{ if eq . 2 }}{{ break }}{{ end }}{{ if eq . 0 }}{{ continue }}{{ end }}'.repeat(1000)}{{ . }}{{ end }}`
    assert.equal(render(text, { l: [0, 1, 2, 3] }), '1')
  })
  it('is refused above 256 KiB', () => {
    for (const file of ['x.tmpl', 'x.hbs'])
      assert.throws(() => compile({ file, text: 'x'.repeat(256 * 1024 + 1) }, options()), TemplateSyntaxError)
  })
  it('may nest 190 deep', () => {
    const text = `${'{{ if .a }}'.repeat(100)}{{ ${'('.repeat(90)}.a${')'.repeat(90)} }}${'{{ end }}'.repeat(100)}`
    assert.equal(render(text, { a: 1 }), '1')
  })
  it('compiles with many statements', () => {
    assert.equal(render('{{ if .a }}x{{ end }}{{ .a }}'.repeat(500), { a: 1 }), 'x1'.repeat(500))
    assert.equal(render('{{#if a}}x{{/if}}{{.a}}'.repeat(500), { a: 1 }, { file: 'x.hbs' }), 'x1'.repeat(500))
  })
})
