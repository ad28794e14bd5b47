import { CodedError } from '../domain/errors.ts'
import type { CallResult } from './contract.ts'

export type FailureKind = 'failed' | 'timeout' | 'refused' | 'unparsable'

/** A call without a finding (analysis_failed). `call` holds prompts and answer, as far as known, for the detect log. */
export class AnalysisFailure extends CodedError {
  readonly kind: FailureKind
  readonly call: Partial<CallResult>

  constructor(kind: FailureKind, message: string, call: Partial<CallResult> = {}) {
    super('analysis_failed', message)
    this.name = 'AnalysisFailure'
    this.kind = kind
    this.call = call
  }
}
