import { CodedError } from '../../domain/errors.ts'
import { errorText } from '../../text/error-text.ts'
import type { Position } from '../templates/template.ts'

/** Converts an error of a rendering to template_failed with the position. Returns coded errors unchanged. */
export function toRenderError(error: unknown, at: Position & { readonly file: string }): CodedError {
  if (error instanceof CodedError) return error
  const reason = errorText(error)
  return new CodedError('template_failed', `${at.file}:${at.line}:${at.column}: ${reason}`, { cause: error })
}
