import { CodedError } from '../domain/errors.ts'

export interface ModelRequest {
  readonly system: string
  readonly user: string
  /** JSON schema of the answer. */
  readonly schema: { readonly [field: string]: unknown }
}

interface ModelAnswer {
  readonly text: string
  /** As the provider names it. */
  readonly model: string
  /** Tokens of prompt and answer together; 0 when the provider counts none. */
  readonly tokens: number
}

/** One model at one provider. Sends one request for each call, without retries, and follows no redirect. */
export interface Model {
  /** Rejects with `ModelFailure`. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>
}

export type ModelFailureKind = 'failed' | 'timeout' | 'refused' | 'cut'

/**
 * A call without an answer that may be used (analysis_failed). `cut`: the model did not read the whole prompt, or did
 * not end its answer.
 */
export class ModelFailure extends CodedError {
  readonly kind: ModelFailureKind
  /** Answer of the model, as far as it is known. */
  readonly answer: Partial<ModelAnswer>

  constructor(kind: ModelFailureKind, message: string, answer: Partial<ModelAnswer> = {}) {
    super('analysis_failed', message)
    this.name = 'ModelFailure'
    this.kind = kind
    this.answer = answer
  }
}
