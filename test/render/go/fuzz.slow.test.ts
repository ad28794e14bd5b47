import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CodedError } from '../../../src/domain/errors.ts'
import type { Payload } from '../../../src/domain/incident.ts'
import { check, compile } from '../../../src/render/templates/compile.ts'
import { TemplateSyntaxError } from '../../../src/render/templates/template.ts'
import { options } from '../rendering.ts'

const golden = readFileSync(new URL('./golden.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { template: string; data: Payload })

const RUN = { seed: 20250314, interruptAfterTimeLimit: 1500, markInterruptAsFailure: false }

const pieces = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{{-',
    ' -}}',
    '{{/*',
    '*/}}',
    '|',
    '(',
    ')',
    '.',
    '$',
    '"',
    '`',
    "'",
    ':=',
    '=',
    ',',
    ' ',
    '\n',
    '\\',
  ],
  ...[
    'if ',
    'else',
    'end',
    'range ',
    'with ',
    'define "x"',
    'template "x" .',
    'break',
    'continue',
    'nil',
    'true',
    '%d',
  ],
  ...[
    '#if ',
    '#each ',
    '/if',
    '/each',
    '>',
    '@',
    '../../',
    '~',
    '!--',
    '--',
    '{{{',
    '}}}',
    '0x',
    '1e9',
    'é',
    '🔥',
    '\ud800',
  ],
  ...['printf "%s"', 'index ', '.a.b', '$x', 'len', 'html', 'regexMatch "("', 'format "2006" .t', 'include "x" .'],
)
const soup = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 40 })
const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 8 }), pieces), { minLength: 1, maxLength: 4 })

/** Asserts that a text compiles and then renders or fails with a code, or is refused with a position within it. */
function survives(file: string, text: string, payload: Payload): void {
  const lines = text.split('\n')
  try {
    const template = compile({ file, text }, options('html', { maxBytes: 100_000 }))
    assert.equal(typeof template(payload), 'string')
  } catch (error) {
    assert.ok(error instanceof CodedError, `${JSON.stringify(text)}: ${error}`)
    if (error.code !== 'template_invalid') return
    assert.ok(error instanceof TemplateSyntaxError, `${JSON.stringify(text)}: ${error.message}`)
    assert.throws(() => check({ file, text }), TemplateSyntaxError, `${JSON.stringify(text)}: passes the check`)
    assert.ok(error.line >= 1 && error.line <= lines.length, `${JSON.stringify(text)}: line ${error.line}`)
    assert.ok(
      error.column >= 1 && error.column <= (lines[error.line - 1]?.length ?? 0) + 2,
      `${JSON.stringify(text)}: column ${error.column}`,
    )
  }
}

describe('any template text', () => {
  for (const file of ['any.tmpl', 'any.hbs']) {
    it(`of random pieces renders or fails with a code: ${file}`, () => {
      const payload = { a: { b: [1, 'x', null] }, t: '2025-03-09T17:04:05Z' }
      fc.assert(
        fc.property(soup, (parts) => survives(file, parts.join(''), payload)),
        { ...RUN, numRuns: 1500 },
      )
    })
    it(`of an edited template renders or fails with a code: ${file}`, () => {
      const edited = fc.tuple(fc.constantFrom(...golden), edits).map(([{ template, data }, changes]) => {
        let text = template
        for (const [where, removed, piece] of changes) {
          const at = where % (text.length + 1)
          text = text.slice(0, at) + piece + text.slice(at + removed)
        }
        return { text, data }
      })
      fc.assert(
        fc.property(edited, ({ text, data }) => survives(file, text, data)),
        { ...RUN, numRuns: 1000 },
      )
    })
  }
})
