import type { Node } from '../../templates/handlebars-internals.ts'
import { generate } from '../../templates/handlebars-internals.ts'
import { markCode } from '../../templates/markdown-code.ts'
import {
  type Dialect,
  type DialectOptions,
  type Position,
  positionAt,
  type TemplateSource,
  TemplateSyntaxError,
} from '../../templates/template.ts'
import { HELPERS, type Helper } from '../helpers/index.ts'
import { STATEMENTS, TemplateGenerator } from './generator.ts'
import { GoSyntaxError } from './lexer.ts'
import { helperName, type SharedResults } from './nodes.ts'
import { parse, parseShared } from './parser.ts'
import { Runtime } from './runtime.ts'

/** Compiles a template of the Go dialect. Throws `TemplateSyntaxError`. */
export function compileTmpl(source: TemplateSource, { escaper, maxBytes, env, now }: DialectOptions): Dialect {
  const sources = new Sources(source)
  const { main, defined, constants, called } = parsed(sources, escaper.mark)
  const bound = { ...escaper, env, now }
  const helpers = new Map<string, Helper>()
  for (const name of called) {
    const entry = HELPERS.get(name)
    if (entry) helpers.set(helperName(name), entry.make(bound))
  }
  if (escaper.code) for (const program of [main, ...defined.values()]) markCode(program, PRINT_HELPERS)
  const runtime = new Runtime(escaper, maxBytes, constants)
  runtime.addHelpers(helpers)
  const names = [...STATEMENTS, ...helpers.keys(), ...RUNTIME_METHODS]
  const options = { Generator: TemplateGenerator, helpers: names, data: false }
  for (const [name, program] of defined) runtime.bodies.set(name, generate(program, options))
  const body = generate(main, options)
  return { render: (payload) => runtime.render(body, payload), position: () => sources.positionOf(runtime) }
}

/** Parses a template and its shared files. Throws `TemplateSyntaxError`. */
export function checkTmpl(source: TemplateSource): void {
  parsed(new Sources(source), (text) => text)
}

const PRINT_HELPERS = { text: 'out', span: 'outSpan', fence: 'outFence' }

/** Methods of `Runtime` that generated code calls by name. */
const RUNTIME_METHODS = ['out', 'outSpan', 'outFence', 'template', 'include', 'method', 'fields', 'fail']

/** Parses the template, and the definitions of all sources: those of earlier ones win. */
function parsed(sources: Sources, mark: SharedResults['mark']) {
  const shared: SharedResults = { constants: [], called: new Set(), mark }
  const defined = new Map<string, Node>()
  const parts = sources.all.map(({ source, linesBefore }, nth) => {
    const { text } = source
    try {
      return (nth === 0 ? parse : parseShared)({ text, linesBefore }, shared)
    } catch (error) {
      if (!(error instanceof GoSyntaxError)) throw error
      throw new TemplateSyntaxError(source, positionAt(text, error.at), error.message)
    }
  })
  for (const part of parts.toReversed()) for (const [name, body] of part.defined) defined.set(name, body)
  const [{ main }] = parts as [(typeof parts)[number]]
  return { ...shared, main, defined }
}

interface Numbered {
  readonly source: TemplateSource
  /** Number of lines in the sources before it. */
  readonly linesBefore: number
}

/** A template and its shared files with lines numbered through, so that one number identifies file and line. */
class Sources {
  /** The template, then its shared files from last to first: earlier definitions win. */
  readonly all: readonly Numbered[]

  constructor(template: TemplateSource) {
    let lines = 0
    this.all = [template, ...(template.shared ?? []).toReversed()].map((source) => {
      const linesBefore = lines
      lines += source.text.split('\n').length
      return { source, linesBefore }
    })
  }

  /** Returns file and line of a position that is numbered through all sources. */
  positionOf({ line, column }: Position): Position & { readonly file: string } {
    const found = this.all.findLast(({ linesBefore }) => linesBefore < line) ?? this.all[0]
    return { file: found?.source.file ?? '', line: line - (found?.linesBefore ?? 0), column }
  }
}
