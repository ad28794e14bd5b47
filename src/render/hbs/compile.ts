import { HELPERS, type Helper } from '../go/helpers/index.ts'
import { generate, type Node, runOptions } from '../templates/handlebars-internals.ts'
import { markCode } from '../templates/markdown-code.ts'
import {
  type Dialect,
  type DialectOptions,
  type Position,
  positionAt,
  type TemplateSource,
  TemplateSyntaxError,
} from '../templates/template.ts'
import { OwnFieldsGenerator, parseTree } from './generator.ts'
import { DOT, markDots, NestingError } from './leading-dots.ts'
import { prepareTree, UnsupportedSyntax } from './prepare-tree.ts'
import { BLOCKS, HbsRuntime } from './runtime.ts'

/** Helpers of the Go dialect that Handlebars templates do not have, or have in another form. */
const GO_ONLY = new Set(['and', 'or', 'include', 'call'])
const OWN_HELPERS = new Map([
  ['lookup', 2],
  ['and', 1],
  ['or', 1],
])

const ENTRIES = [...HELPERS].filter(([name]) => !GO_ONLY.has(name))
const KNOWN = new Map([...ENTRIES.map(([name, entry]) => [name, entry.minArgs] as const), ...OWN_HELPERS])

/** Compiles a Handlebars template, in which paths may have a leading dot. Throws `TemplateSyntaxError`. */
export function compileHbs(source: TemplateSource, { escaper, maxBytes, env, now }: DialectOptions): Dialect {
  const bound = { ...escaper, env, now }
  const helpers = new Map<string, Helper>(ENTRIES.map(([name, entry]) => [name, entry.make(bound)]))
  const runtime = new HbsRuntime(escaper, maxBytes, helpers)
  const tree = preparedTree(source)
  if (escaper.code) markCode(tree, PRINT_HELPERS)
  const body = generate(tree, { Generator: OwnFieldsGenerator, helpers: Object.keys(runtime.helpers), data: true })
  const options = runOptions(runtime.helpers)
  return {
    render: (payload) => body(payload, { ...options, data: { root: payload } }),
    position: () => ({ file: source.file, line: runtime.line, column: runtime.column }),
  }
}

/** Parses a Handlebars template. Throws `TemplateSyntaxError`. */
export function checkHbs(source: TemplateSource): void {
  preparedTree(source)
}

const PRINT_HELPERS = { text: '$out', span: '$outSpan', fence: '$outFence' }

function preparedTree(source: TemplateSource): Node {
  try {
    const tree = parseTree(markDots(source.text))
    prepareTree(tree, { blocks: new Set(BLOCKS), helpers: KNOWN })
    return tree
  } catch (error) {
    const found = syntaxErrorOf(error, source.text)
    throw found ? new TemplateSyntaxError(source, found.at, found.reason) : error
  }
}

/**
 * Returns position and reason of a syntax error thrown by the parser or by `prepareTree`; undefined when it is not an
 * Error.
 */
function syntaxErrorOf(error: unknown, text: string): { at: Position; reason: string } | undefined {
  if (error instanceof NestingError) return { at: positionAt(text, error.at), reason: error.message }
  if (error instanceof UnsupportedSyntax) {
    const { line = 1, column = 0 } = error.node.loc?.start ?? {}
    return { at: { line, column: column + 1 }, reason: error.message }
  }
  if (!(error instanceof Error)) return undefined
  const message = error.message.replaceAll(DOT, '.')
  return grammarError(message, text) ?? blockError(error, message)
}

/**
 * Reads an error of the grammar: `Parse error on line 3:`, an excerpt, dashes up to the position, and the expected
 * tokens.
 */
function grammarError(message: string, text: string): { at: Position; reason: string } | undefined {
  const match = /^(Parse|Lexical) error on line (\d+)[:.][^\n]*\n(.*)\n(-*)\^\n?(.*)/.exec(message)
  if (!match) return undefined
  const line = Number(match[2])
  const before = (match[3] ?? '').slice(0, (match[4] ?? '').length).replace(/^\.\.\./, '')
  const reason = match[5] === '' ? 'unexpected character' : readable(match[5] ?? '')
  return { at: { line, column: columnOf(text, line, before) }, reason }
}

/**
 * Returns the column after `before`. The parser prints the text before the error without line breaks, so its longest
 * suffix within the line is searched.
 */
function columnOf(text: string, line: number, before: string): number {
  const content = text.split('\n')[line - 1] ?? ''
  for (let from = 0; from < before.length; from++) {
    const found = content.lastIndexOf(before.slice(from))
    if (found >= 0) return found + before.length - from + 1
  }
  return 1
}

const TOKEN_NAMES: { readonly [token: string]: string } = {
  EOF: 'the end of the template',
  INVALID: 'a character that cannot stand here',
  CLOSE: '}}',
  OPEN_ENDBLOCK: 'the end of a block',
  INVERSE: 'an else',
  SEP: 'a separator of a path',
  ID: 'a name',
  STRING: 'a text',
  NUMBER: 'a number',
  CLOSE_SEXPR: ')',
  OPEN_SEXPR: '(',
  EQUALS: '=',
}

function readable(reason: string): string {
  const got = /got '(\w+)'/.exec(reason)?.[1]
  return got === undefined ? reason : `unexpected ${TOKEN_NAMES[got] ?? got}`
}

/** Reads an error of a block: `if doesn't match unless - 2:2`. The position may also be in its properties. */
function blockError(error: Error, message: string): { at: Position; reason: string } {
  const { lineNumber, column } = error as { lineNumber?: number; column?: number }
  const position = / - (\d+):(\d+)$/.exec(message)
  const line = lineNumber ?? Number(position?.[1] ?? 1)
  return {
    at: { line, column: (column ?? Number(position?.[2] ?? 0)) + 1 },
    reason: message.replace(/ - \d+:\d+$/, ''),
  }
}
