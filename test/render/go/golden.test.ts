import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Payload } from '../../../src/domain/incident.ts'
import { compile } from '../../../src/render/templates/compile.ts'
import { TemplateSyntaxError } from '../../../src/render/templates/template.ts'

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
