import type { BodyFormat } from '../../src/domain/incident.ts'

/** The documents of a valid body, each as its text. */
export interface Documents {
  readonly many: boolean
  readonly texts: readonly string[]
}

const MAX_DEPTH = 64
const MAX_DOCUMENTS = 10_000

/** Does the same as the validator, by decoding and parsing. Returns undefined for a body that is not valid. */
export function documentsOf(body: Uint8Array, format: BodyFormat): Documents | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const many = format === 'ndjson' || text.trimStart().startsWith('[')
    const texts = format === 'ndjson' ? linesOf(text) : many ? elementsOf(text) : [text]
    const isValid = texts.length > 0 && texts.length <= MAX_DOCUMENTS && texts.every(isShallowObject)
    return isValid ? { many, texts } : undefined
  } catch {
    return undefined
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter((line) => line.trim() !== '')
}

/** Throws for an array that is not valid, or that holds anything but objects. */
function elementsOf(text: string): string[] {
  const values: unknown[] = JSON.parse(text)
  if (!values.every(isObject)) throw new Error('an element is no object')
  const texts: string[] = []
  let start = 0
  for (const { at, depth, opens } of brackets(text)) {
    if (opens && depth === 2) start = at
    if (!opens && depth === 1) texts.push(text.slice(start, at + 1))
  }
  return texts
}

function isShallowObject(text: string): boolean {
  if (!isObject(JSON.parse(text))) return false
  for (const { depth } of brackets(text)) if (depth > MAX_DEPTH) return false
  return true
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Yields the brackets outside strings, in order. `depth`: number of levels that are open behind the bracket. */
function* brackets(text: string): Generator<{ at: number; depth: number; opens: boolean }> {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') yield { at, depth: ++depth, opens: true }
    else if (char === '}' || char === ']') yield { at, depth: --depth, opens: false }
  }
}
