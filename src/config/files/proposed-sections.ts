import { isMap, isScalar, parseDocument } from 'yaml'
import { PROPOSED_SECTIONS } from './proposed.ts'

/**
 * Returns the text of a configuration without the sections that cannot be proposed, each line in its place. A section
 * that is absent has no value in the result. Text that is no map is returned as it is: who reads it reports the error.
 */
export function proposedSections(text: string): string {
  const doc = parseDocument(text, { logLevel: 'silent' })
  if (doc.errors.length > 0 || !isMap(doc.contents)) return text
  const items = doc.contents.items.map(({ key }) => ({
    name: isScalar(key) ? String(key.value) : '',
    from: isScalar(key) ? (key.range?.[0] ?? 0) : 0,
  }))
  const kept = items.map(({ name, from }, at) => {
    const part = text.slice(from, items[at + 1]?.from ?? text.length)
    return PROPOSED_SECTIONS.includes(name) ? part : part.replace(/[^\n]/g, '')
  })
  const before = text.slice(0, items[0]?.from ?? 0).replace(/[^\n]/g, '')
  const absent = PROPOSED_SECTIONS.filter((name) => !items.some((item) => item.name === name))
  return [before, ...kept, '\n', ...absent.map((name) => `${name}:\n`)].join('')
}
