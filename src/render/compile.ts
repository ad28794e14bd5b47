import { compileHbs } from './hbs/compile.ts'
import type { CompiledTemplate, CompileOptions, TemplateSource } from './template.ts'
import { compileTmpl } from './tmpl/compile.ts'

/** Compiles a template once, for many renderings; throws `TemplateFault` with the place when it does not parse. */
export function compile(source: TemplateSource, options: CompileOptions): CompiledTemplate {
  return source.file.endsWith('.hbs') ? compileHbs(source, options) : compileTmpl(source, options)
}
