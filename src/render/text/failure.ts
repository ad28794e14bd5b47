import { CodedError } from '../../domain/errors.ts'
import type { Position } from '../templates/template.ts'

/** What a rendering threw, as a coded error that says where it happened. */
export function toRenderError(error: unknown, at: Position & { readonly file: string }): CodedError {
  if (error instanceof CodedError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new CodedError('template_failed', `${at.file}:${at.line}:${at.column}: ${reason}`, { cause: error })
}
