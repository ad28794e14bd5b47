import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { errorText } from '../text/error-text.ts'
import { ConfigError, type Fault, type Path } from './fault.ts'
import { type Lookups, substitute } from './substitute.ts'

/** How a value was written, before anything was substituted. */
interface Written {
  readonly text: string
  readonly substituted: 'no' | 'partly' | 'whole'
}

/** One configuration file: its value with references substituted, and where everything in it stands. */
export interface Source {
  readonly value: unknown
  /** `config.yaml:6` of the value at the path, or of the nearest thing around it. */
  where(path: Path): string
  written(path: Path): Written | undefined
}

export interface ParsedSource {
  readonly source: Source
  /** References that could not be resolved. */
  readonly faults: readonly Fault[]
  readonly warnings: readonly string[]
}

/** What there is when there is no file. */
export const NO_FILE: Source = { value: {}, where: () => '', written: () => undefined }

/** Checking that no key stands twice in a map takes time that grows with the square of the keys, and a reload must not hold up the service. */
const MAX_CHARS = 256 * 1024

/** Parses YAML and substitutes references in its text values, after parsing, so that no value can become structure. Throws a `ConfigError` for text that is not YAML. */
export function readSource(file: string, text: string, lookups: Lookups): ParsedSource {
  if (text.length > MAX_CHARS)
    throw new ConfigError([{ where: file, path: [], message: `holds more than ${MAX_CHARS} characters` }])
  try {
    return parse(file, text, lookups)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    // The parser recurses: text that is nested too deep, or aliases that expand without end, end here.
    const message = `cannot be read as YAML (${withoutQuote(errorText(error))})`
    throw new ConfigError([{ where: file, path: [], message }])
  }
}

function parse(file: string, text: string, lookups: Lookups): ParsedSource {
  const lines = new LineCounter()
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: 'silent' })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const broken = doc.errors.map((error) => ({ where: at(error.pos[0]), path: [], message: messageOf(error, text) }))
  if (broken.length > 0) throw new ConfigError(broken)
  const warnings = doc.warnings.map(({ pos, message }) => `${at(pos[0])}: ${withoutQuote(message)}`)
  const { written, faults } = substituteAll(doc, lookups)
  const where = (path: Path) => `${file}:${lines.linePos(offsetOf(doc, path)).line}`
  const source: Source = {
    value: doc.toJS() ?? {},
    where,
    written: (path) => {
      const node = find(doc, path).node
      return isScalar(node) ? (written.get(node) ?? { text: node.source ?? '', substituted: 'no' }) : undefined
    },
  }
  return { source, faults: faults.map(({ path, message }) => ({ where: where(path), path, message })), warnings }
}

function messageOf(error: { code: string; message: string; pos: readonly number[] }, text: string): string {
  if (error.code !== 'DUPLICATE_KEY') return `is not valid YAML: ${withoutQuote(error.message)}`
  const key = /^[^\s:]{1,64}/.exec(text.slice(error.pos[0]))?.[0] ?? ''
  return `the key ${key.replace(/^["']|["']$/g, '')} appears twice in the same map`
}

/** After a colon the parser quotes what it stumbled over, which may be a secret that begins like something else. */
function withoutQuote(message: string): string {
  const end = message.indexOf(': ')
  return end < 0 ? message : `${message.slice(0, end)}; a text that begins with one of ! * & | > needs quotes around it`
}

function substituteAll(doc: Document, lookups: Lookups) {
  const written = new Map<Scalar, Written>()
  const faults: { path: Path; message: string }[] = []
  visit(doc, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string') return
      const text = node.value
      const result = substitute(text, lookups)
      if (result === undefined) return
      node.value = result.text
      written.set(node, { text, substituted: result.whole ? 'whole' : 'partly' })
      for (const message of result.faults) faults.push({ path: pathOf([...ancestors, node]), message })
    },
  })
  return { written, faults }
}

function pathOf(chain: readonly unknown[]): Path {
  return chain.flatMap((node, at): Path => {
    if (isPair(node)) return [nameOf(node.key)]
    return isSeq(node) ? [node.items.indexOf(chain[at + 1])] : []
  })
}
const nameOf = (key: unknown) => String(isScalar(key) ? key.value : key)

const offsetOf = (doc: Document, path: Path) => find(doc, path).offset

interface Step {
  /** The key of a map's entry, or the item of a list. */
  readonly at: unknown
  readonly value: unknown
}

/** Follows the path as far as it goes: the node at its end, if it got there, and where the last thing on the way begins. */
function find(doc: Document, path: Path): { node: Node | undefined; offset: number } {
  let node = followed(doc, doc.contents)
  let offset = node?.range?.[0] ?? 0
  for (const part of path) {
    const step = stepInto(doc, node, part)
    if (step === undefined) return { node: undefined, offset }
    offset = isNode(step.at) ? (step.at.range?.[0] ?? offset) : offset
    node = followed(doc, step.value)
  }
  return { node, offset }
}

function followed(doc: Document, node: unknown): Node | undefined {
  if (isAlias(node)) return node.resolve(doc)
  return isNode(node) ? node : undefined
}

function stepInto(doc: Document, node: unknown, part: string | number): Step | undefined {
  if (isMap(node)) return inMap(doc, node, String(part))
  const item = isSeq(node) ? node.items[Number(part)] : undefined
  return item === undefined ? undefined : { at: item, value: item }
}

/** Circles of merge keys end earlier: the parser refuses to turn them into a value. */
function inMap(doc: Document, map: YAMLMap, key: string): Step | undefined {
  const pair = map.items.find((item) => nameOf(item.key) === key)
  if (pair !== undefined) return { at: pair.key, value: pair.value }
  const merged = followed(doc, map.items.find((item) => nameOf(item.key) === '<<')?.value)
  return isMap(merged) ? inMap(doc, merged, key) : undefined
}
