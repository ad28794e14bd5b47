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
import { errorText } from '../../text/error-text.ts'
import { ConfigError, type LocatedIssue, type Path } from '../config-error.ts'
import { type Lookups, substitute } from './substitute.ts'

/** A value as it was written, before references were replaced. */
interface Written {
  readonly text: string
  readonly substituted: 'no' | 'partly' | 'whole'
}

/** One configuration file: its value with references replaced, and the line of each value. */
export interface Source {
  readonly value: unknown
  /** Returns `config.yaml:6` for the value at the path, or for the nearest map or list around it. */
  where(path: Path): string
  written(path: Path): Written | undefined
}

export interface ParsedSource {
  readonly source: Source
  /** References that could not be resolved. */
  readonly issues: readonly LocatedIssue[]
  readonly warnings: readonly string[]
}

/** Stands for the file when there is none. */
export const NO_FILE: Source = { value: {}, where: () => '', written: () => undefined }

/** Bounds the time of a reload: looking for keys that appear twice takes time quadratic in the number of keys. */
const MAX_CHARS = 256 * 1024

/**
 * Parses YAML, then replaces references in its text values, so that no value can become structure. Throws
 * config_invalid for text that is not YAML.
 */
export function readSource(file: string, text: string, lookups: Lookups): ParsedSource {
  if (text.length > MAX_CHARS)
    throw new ConfigError([{ where: file, path: [], message: `holds more than ${MAX_CHARS} characters` }])
  try {
    return parse(file, text, lookups)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    // The parser is recursive: text that is nested too deep, or aliases that expand without end, make it throw.
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
  const { written, issues } = substituteAll(doc, lookups)
  const where = (path: Path) => `${file}:${lines.linePos(offsetOf(doc, path)).line}`
  const source: Source = {
    value: doc.toJS() ?? {},
    where,
    written: (path) => {
      const node = find(doc, path).node
      return isScalar(node) ? (written.get(node) ?? { text: node.source ?? '', substituted: 'no' }) : undefined
    },
  }
  return { source, issues: issues.map(({ path, message }) => ({ where: where(path), path, message })), warnings }
}

function messageOf(error: { code: string; message: string; pos: readonly number[] }, text: string): string {
  if (error.code !== 'DUPLICATE_KEY') return `is not valid YAML: ${withoutQuote(error.message)}`
  const key = /^[^\s:]{1,64}/.exec(text.slice(error.pos[0]))?.[0] ?? ''
  return `the key ${key.replace(/^["']|["']$/g, '')} appears twice in the same map`
}

/** Cuts a message at its first colon: the parser quotes the text behind it, which may be a secret. */
function withoutQuote(message: string): string {
  const end = message.indexOf(': ')
  return end < 0 ? message : `${message.slice(0, end)}; a text that begins with one of ! * & | > needs quotes around it`
}

function substituteAll(doc: Document, lookups: Lookups) {
  const written = new Map<Scalar, Written>()
  const issues: { path: Path; message: string }[] = []
  visit(doc, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string') return
      const text = node.value
      const result = substitute(text, lookups)
      if (result === undefined) return
      node.value = result.text
      written.set(node, { text, substituted: result.whole ? 'whole' : 'partly' })
      for (const message of result.issues) issues.push({ path: pathOf([...ancestors, node]), message })
    },
  })
  return { written, issues }
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

/**
 * Follows the path as far as it exists. Returns the node at its end, undefined if the path is not complete, and the
 * offset of the last key or item on the way.
 */
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

/** Ends, because the parser refuses merge keys that form a circle. */
function inMap(doc: Document, map: YAMLMap, key: string): Step | undefined {
  const pair = map.items.find((item) => nameOf(item.key) === key)
  if (pair !== undefined) return { at: pair.key, value: pair.value }
  const merged = followed(doc, map.items.find((item) => nameOf(item.key) === '<<')?.value)
  return isMap(merged) ? inMap(doc, merged, key) : undefined
}
