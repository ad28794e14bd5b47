import { FIELDS } from '../fields.ts'
import type { ConditionSettings } from '../route.ts'

const WORD = /^\s*([\w.-]+)\s*(=~|!~|!=|=)\s*(.*?)\s*$/s

/**
 * Reads conditions in the form that Alertmanager's tools take: `service=db-*`, `title=~disk.*`, `team!=web`, `team!~w.*`.
 * A name that is no field is a label. Throws an error whose message follows the word.
 */
export function conditionsOf(words: readonly string[]): readonly ConditionSettings[] {
  const found = new Map<string, readonly string[]>()
  for (const word of words) {
    const { field, value } = conditionOf(word)
    const earlier = found.get(field) ?? []
    if (earlier.some((each) => !each.startsWith('!')) || (earlier.length > 0 && !value.startsWith('!')))
      throw new Error(`${JSON.stringify(word)} is a second condition on ${field}: write one, or a pattern`)
    found.set(field, [...earlier, value])
  }
  return [...found].map(([field, values]) => ({ field, values, where: '' }))
}

function conditionOf(word: string): { readonly field: string; readonly value: string } {
  const [, name, operator = '', given = ''] = WORD.exec(word) ?? []
  if (name === undefined)
    throw new Error(`${JSON.stringify(word)} is no condition: write service=db-*, title=~disk.* or team!=web`)
  const value = /^"(.*)"$/s.exec(given)?.[1] ?? given
  const wanted = operator.endsWith('~') ? `/${value}/` : value
  return { field: fieldOf(name), value: operator.startsWith('!') ? `!${wanted}` : wanted }
}

function fieldOf(name: string): string {
  const isField = FIELDS.some((field) => field === name) || name === 'min_severity'
  return isField || /^(?:labels|payload)\../.test(name) ? name : `labels.${name}`
}
