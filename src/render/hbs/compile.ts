import { HELPERS, type Helper } from '../go/helpers/index.ts'
import { markCode } from '../templates/markdown-code.ts'
import {
  type CompiledTemplate,
  type CompileOptions,
  exceeds,
  MAX_BYTES,
  type TemplateSource,
  TemplateSyntaxError,
} from '../templates/template.ts'
import { ESCAPERS } from '../text/escape.ts'
import { toRenderError } from '../text/render-error.ts'
import { generate, parseTree } from './generator.ts'
import { markDots } from './leading-dots.ts'
import { type Node, prepareTree } from './prepare-tree.ts'
import { BLOCKS, HbsRuntime } from './runtime.ts'
import { syntaxErrorOf } from './syntax-error.ts'

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
export function compileHbs(source: TemplateSource, options: CompileOptions): CompiledTemplate {
  const escaper = ESCAPERS[options.escaping]
  const maxBytes = options.maxBytes ?? MAX_BYTES
  const bound = { ...escaper, env: options.env, now: options.now }
  const helpers = new Map<string, Helper>(ENTRIES.map(([name, entry]) => [name, entry.make(bound)]))
  const runtime = new HbsRuntime(escaper, maxBytes, helpers)
  const tree = preparedTree(source)
  if (escaper.code) markCode(tree, PRINT_HELPERS)
  const body = generate(tree, Object.keys(runtime.helpers))
  const hooks = {
    partial: true,
    helpers: runtime.helpers,
    partials: {},
    hooks: {},
    decorators: {},
    protoAccessControl: {},
  }
  return (payload) => {
    try {
      const text = body(payload, { ...hooks, data: { root: payload } })
      if (exceeds(text, maxBytes)) runtime.tooLong()
      return text
    } catch (error) {
      throw toRenderError(error, { file: source.file, line: runtime.line, column: runtime.column })
    }
  }
}

/** Parses a Handlebars template. Throws `TemplateSyntaxError`. */
export function checkHbs(source: TemplateSource): void {
  preparedTree(source)
}

const PRINT_HELPERS = { text: '$out', span: '$outSpan', fence: '$outFence' }

function preparedTree(source: TemplateSource): Node {
  try {
    const tree = parseTree(markDots(source.text)) as Node
    prepareTree(tree, { blocks: new Set(BLOCKS), helpers: KNOWN })
    return tree
  } catch (error) {
    const found = syntaxErrorOf(error, source.text)
    throw found ? new TemplateSyntaxError(source, found.at, found.reason) : error
  }
}
