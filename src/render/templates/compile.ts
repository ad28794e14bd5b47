import { CodedError } from '../../domain/errors.ts'
import { errorText } from '../../text/error-text.ts'
import { checkTmpl, compileTmpl } from '../go/tmpl/compile.ts'
import { checkHbs, compileHbs } from '../hbs/compile.ts'
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
  return withCodedErrors(source, () => (isHbs(source) ? compileHbs(source, options) : compileTmpl(source, options)))
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
