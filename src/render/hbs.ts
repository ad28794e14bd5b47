import type { CompiledTemplate, CompileOptions, TemplateSource } from './template.ts'
export function compileHbs(_source: TemplateSource, _options: CompileOptions): CompiledTemplate {
  return () => ''
}
