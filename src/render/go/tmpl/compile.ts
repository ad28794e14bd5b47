import { markCode } from '../../templates/markdown-code.ts'
import {
  type CompiledTemplate,
  type CompileOptions,
  exceeds,
  MAX_BYTES,
  type Position,
  positionAt,
  type TemplateSource,
  TemplateSyntaxError,
  toRenderError,
} from '../../templates/template.ts'
import { ESCAPERS } from '../../text/escape.ts'
import { HELPERS, type Helper } from '../helpers/index.ts'
import { generate } from './generator.ts'
import { GoSyntaxError } from './lexer.ts'
import { parse, parseShared } from './parser.ts'
import { helperName } from './pipeline-translator.ts'
import { Runtime } from './runtime.ts'
import { type ParsedText, translate } from './translate.ts'

/** Compiles a template of the Go dialect. Throws `TemplateSyntaxError`. */
export function compileTmpl(source: TemplateSource, options: CompileOptions): CompiledTemplate {
  const escaper = ESCAPERS[options.escaping]
  const maxBytes = options.maxBytes ?? MAX_BYTES
  const sources = new Sources(source)
  const { main, defined, constants, called } = translate(parsed(sources), escaper.mark)
  const bound = { ...escaper, env: options.env, now: options.now }
  const helpers = new Map<string, Helper>()
  for (const name of called) {
    const entry = HELPERS.get(name)
    if (entry) helpers.set(helperName(name), entry.make(bound))
  }
  if (escaper.code) for (const program of [main, ...defined.values()]) markCode(program, PRINT_HELPERS)
  const runtime = new Runtime(escaper, maxBytes, constants)
  runtime.addHelpers(helpers)
  const names = [...helpers.keys(), ...RUNTIME_METHODS]
  for (const [name, program] of defined) runtime.bodies.set(name, generate(program, names))
  const body = generate(main, names)
  return (payload) => {
    try {
      const text = runtime.render(body, payload)
      if (exceeds(text, maxBytes)) runtime.tooLong()
      return text
    } catch (error) {
      throw toRenderError(error, sources.positionOf(runtime))
    }
  }
}

/** Parses a template and its shared files. Throws `TemplateSyntaxError`. */
export function checkTmpl(source: TemplateSource): void {
  parsed(new Sources(source))
}

const PRINT_HELPERS = { text: 'out', span: 'outSpan', fence: 'outFence' }

/** Methods of `Runtime` that generated code calls by name. */
const RUNTIME_METHODS = ['out', 'outSpan', 'outFence', 'template', 'include', 'method', 'fields', 'fail']

const isFunction = (name: string) => HELPERS.has(name)

function parsed(sources: Sources): ParsedText[] {
  return sources.all.map(({ source, linesBefore }, at) => {
    const { text } = source
    try {
      return { program: (at === 0 ? parse : parseShared)(text, isFunction), text, linesBefore }
    } catch (error) {
      if (error instanceof GoSyntaxError)
        throw new TemplateSyntaxError(source, positionAt(text, error.at), error.message)
      throw error
    }
  })
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
