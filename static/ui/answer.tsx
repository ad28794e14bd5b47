import type { ComponentChildren } from 'preact'
import type { Outcome } from '../api/question.ts'
import { Icon } from './icon.tsx'

export const ErrorLine = ({ text }: { readonly text: string }) => (
  <p class="error-text trial-error">
    <Icon name="cross" />
    <span class="break">{text}</span>
  </p>
)

interface AnswerProps<T> {
  readonly of: Outcome<T>
  /** Stands there when nothing was asked yet. */
  readonly hint?: string
  children(answer: T): ComponentChildren
}

/** The answer to a question: its error, and below it the last answer, pale when it is an old one. */
export const Answer = <T,>({ of: { answer, message }, hint, children }: AnswerProps<T>) => (
  <>
    <div role="status">
      {message !== '' && <ErrorLine text={message} />}
      {hint && answer === undefined && message === '' && <p class="quiet">{hint}</p>}
    </div>
    {answer !== undefined && <div class={message === '' ? '' : 'playground-stale'}>{children(answer)}</div>}
  </>
)
