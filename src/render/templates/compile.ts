import { CodedError } from '../../domain/errors.ts'
import { errorText } from '../../text/error-text.ts'
import { checkTmpl, compileTmpl } from '../go/tmpl/compile.ts'
import { checkHbs, compileHbs } from '../hbs/compile.ts'
import { ESCAPERS } from '../text/escape.ts'
import {
  type CompiledTemplate,
  type CompileOptions,
  positionAt,
  type TemplateSource,
  TemplateSyntaxError,
} from './template.ts'

/**
 * Compiles a template once, for many renderings. Throws template_invalid; a `TemplateSyntaxError` when it does not
 * parse.
 */
export function compile(source: TemplateSource, options: CompileOptions): CompiledTemplate {
  const { escaping, env, now, maxBytes = MAX_BYTES } = options
  const dialect = isHbs(source) ? compileHbs : compileTmpl
  const compiled = withCodedErrors(source, () => dialect(source, { escaper: ESCAPERS[escaping], env, now, maxBytes }))
  return (payload) => {
    try {
      const text = compiled.render(payload)
      if (exceeds(text, maxBytes)) throw new CodedError('template_output')
      return text
    } catch (error) {
      if (error instanceof CodedError) throw error
      const { file, line, column } = compiled.position()
      throw new CodedError('template_failed', `${file}:${line}:${column}: ${errorText(error)}`, { cause: error })
    }
  }
}

/** Default of `maxBytes`. */
const MAX_BYTES = 1024 * 1024

/**
 * Returns whether a text has more than `maxBytes` UTF-8 bytes. Counts bytes only where the length does not decide, for
 * speed.
 */
function exceeds(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)
}

/** Parses a template without compiling it, which is much cheaper. Throws the same errors as `compile`. */
export function check(source: TemplateSource): void {
  withCodedErrors(source, () => (isHbs(source) ? checkHbs(source) : checkTmpl(source)))
}

const isHbs = ({ file }: TemplateSource) => file.endsWith('.hbs')

function withCodedErrors<T>(source: TemplateSource, work: () => T): T {
  for (const each of [source, ...(source.shared ?? [])]) {
    if (each.text.length > MAX_LENGTH)
      throw new TemplateSyntaxError(each, positionAt(each.text, MAX_LENGTH), `longer than ${MAX_LENGTH} characters`)
  }
  try {
    return work()
  } catch (error) {
    if (error instanceof TemplateSyntaxError) throw error
    throw new CodedError('template_invalid', `${source.file}: ${errorText(error)}`, { cause: error })
  }
}

/** Maximum length of a template in characters; a longer one takes seconds to compile. */
const MAX_LENGTH = 256 * 1024
