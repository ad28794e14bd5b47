import type { ComponentChildren } from 'preact'
import type { ApiError } from '../api/client.ts'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** Tells what to do next. */
  readonly children?: ComponentChildren
}

/** Stands in place of an empty list or a missing thing. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={24} />
      <p class="empty-title">{title}</p>
      <div class="empty-text">{children}</div>
    </div>
  )
}

interface ErrorPanelProps {
  readonly error: ApiError
  readonly onRetry?: () => void
}

/** Stands in place of data that could not be read. */
export function ErrorPanel({ error, onRetry }: ErrorPanelProps) {
  const title = error.status === 404 ? 'Not found' : 'Cannot be loaded'
  return (
    <Empty icon="triangle" title={title}>
      <p>{error.message}</p>
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          <Icon name="again" />
          Try again
        </button>
      )}
    </Empty>
  )
}

export function LoadingLines({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="hidden-text">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="loading-line" />
      ))}
    </div>
  )
}
