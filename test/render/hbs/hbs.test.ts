import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compile } from '../../../src/render/templates/compile.ts'
import { TemplateSyntaxError } from '../../../src/render/templates/template.ts'
import { options, render } from '../rendering.ts'

const payload = {
  ServiceName: 'press',
  kubernetes: { labels: { app: 'pay' }, host: 'node-1' },
  items: [{ n: 'a' }, { n: 'b' }],
  title: 'Disk full',
  zero: 0,
  none: [],
  map: { x: 1, y: 2 },
  a: { b: 'deep' },
}
const hbs = (text: string) => render(text, payload, { file: 'test.hbs' })

describe('a .hbs template', () => {
  it('takes placeholders with a leading dot', () => {
    assert.equal(hbs('{{.kubernetes.labels.app}} {{ .ServiceName }} {{.a.b}} {{.gone.further}}'), 'pay press deep ')
    assert.equal(hbs('{{{.a.b}}}{{~ .a.b ~}} {{{{raw}}}}'.replace('{{{{raw}}}}', '')), 'deepdeep')
  })
  it('takes a leading dot in the values of helpers and blocks', () => {
    assert.equal(hbs('{{#if .kubernetes.host}}{{upper .kubernetes.host}}{{/if}}'), 'NODE-1')
    assert.equal(hbs('{{#each .items}}{{@index}}{{.n}}{{/each}}{{#with .a}}{{.b}}{{/with}}'), '0a1bdeep')
    assert.equal(hbs('{{#if (eq .ServiceName "press")}}yes{{/if}}'), 'yes')
  })
  it('does not change dots in texts, comments and escaped braces', () => {
    assert.equal(hbs('{{upper " .a.b"}}{{! .a }}{{!-- {{.a}} --}}\\{{.a}}'), ' .A.B{{.a}}')
    assert.equal(hbs('a.b .c { .d } }} .e'), 'a.b .c { .d } }} .e')
  })
  it('reads a field that has the name of a helper', () => {
    assert.equal(hbs('{{title}} {{.title}} {{title "x y"}}'), 'Disk full Disk full X Y')
  })
  it('has each, if, else if, unless, with, sections and their data', () => {
    assert.equal(hbs('{{#each items}}{{#if @first}}^{{/if}}{{this.n}}{{#if @last}}.{{/if}}{{/each}}'), '^ab.')
    assert.equal(hbs('{{#each map}}{{@key}}={{this}};{{/each}}{{#each none}}{{else}}empty{{/each}}'), 'x=1;y=2;empty')
    assert.equal(hbs('{{#if zero}}a{{else if gone}}b{{else}}c{{/if}}{{#unless gone}}d{{/unless}}'), 'cd')
    assert.equal(
      hbs('{{#with a}}{{b}}{{../title}}{{@root.ServiceName}}{{/with}}{{#items}}{{n}}{{/items}}'),
      'deepDisk fullpressab',
    )
    assert.equal(hbs('{{#each items as |item at|}}{{at}}{{item.n}}{{/each}}'), '0a1b')
  })
  it('has the helpers of the Go dialect', () => {
    assert.equal(
      hbs('{{printf "%05.1f" 3.14159}} {{default gone "d"}} {{len items}} {{format "2006" "2025-03-09"}}'),
      '003.1 d 2 2025',
    )
    assert.equal(
      hbs('{{or gone title}} {{and title zero}} {{lookup items 1}} {{items.length}} {{items.1.n}}'),
      'Disk full 0 map[n:b] 2 b',
    )
  })
  it('reads no member of a prototype', () => {
    for (const path of [
      'constructor',
      '__proto__',
      'title.constructor',
      'items.map',
      'a.toString',
      '@root.constructor',
    ])
      assert.equal(hbs(`[{{${path}}}][{{lookup a "constructor"}}]`), '[][]', path)
  })
  it('names file, line and column of a syntax error', () => {
    const cases: [string, number, number][] = [
      ['one\n{{#if a}} two {{/unless}}\nthree', 2, 4],
      ['one\n two {{nosuch .a}}', 2, 6],
      ['one\n{{> partial}}', 2, 1],
      ['one\n{{#if a}}', 2, 10],
      ['one\n {{a b', 2, 7],
      ['a {{#each}}{{/each}}', 1, 3],
    ]
    for (const [text, line, column] of cases) {
      assert.throws(
        () => compile({ file: 'x.hbs', text }, options()),
        (error) =>
          error instanceof TemplateSyntaxError &&
          error.file === 'x.hbs' &&
          error.line === line &&
          Math.abs(error.column - column) <= 3,
        text,
      )
    }
  })
})
