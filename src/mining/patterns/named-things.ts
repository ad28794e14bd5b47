import type { TemplateToken } from './template.ts'

const PREPOSITIONS = new Set('for of to from on in by with at as into under'.split(' '))
const THINGS = new Set(
  (
    'account bucket broker channel client cluster collection column container database device disk domain exchange group host index ' +
    'interface job key member namespace node partition peer pod pool principal queue region repository role schema service session ' +
    'shard stream table task tenant thread topic user vhost volume zone'
  ).split(' '),
)

/** Returns whether the token at `at` names a thing: it follows a preposition and a noun, as in `opened for user kim`. */
export function isNamePlace(tokens: readonly TemplateToken[], at: number): boolean {
  const [preposition, thing] = [tokens[at - 2], tokens[at - 1]]
  return (
    typeof thing === 'string' && THINGS.has(thing) && typeof preposition === 'string' && PREPOSITIONS.has(preposition)
  )
}
