import type { ComponentChildren } from 'preact'
import type { ApiError } from '../api/client.ts'
import type { Resource } from '../api/resource.ts'
import { Button } from './field.tsx'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** Tells what to do next. */
  readonly text?: string
  /** Stands below the text. */
  readonly children?: ComponentChildren
}

/** Stands in place of an empty list or a missing thing. */
export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div class="empty stack gap-2">
      <Icon name={icon} size={24} />
      <p class="empty-title">{title}</p>
      <div class="empty-text stack gap-3">
        {text && <p>{text}</p>}
        {children}
      </div>
    </div>
  )
}

/** Stands in place of data that could not be read. */
export function ErrorPanel({ error, onRetry }: { readonly error: ApiError; readonly onRetry?: () => void }) {
  const title = error.status === 404 ? 'Not found' : 'Cannot be loaded'
  return (
    <Empty icon="triangle" title={title} text={error.message}>
      {onRetry && (
        <Button icon="again" onPress={onRetry}>
          Try again
        </Button>
      )}
    </Empty>
  )
}

export function LoadingLines({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="loading stack gap-3" role="status">
      <span class="hidden-text">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="loading-line" />
      ))}
    </div>
  )
}

interface PendingProps {
  readonly of: Pick<Resource<unknown>, 'state' | 'load'>
  readonly lines?: number
}

/** Stands in place of a resource that has no value: its error, or lines while it is loaded. */
export function Pending({ of, lines = 4 }: PendingProps) {
  const { error } = of.state.value
  return error ? <ErrorPanel error={error} onRetry={() => void of.load()} /> : <LoadingLines lines={lines} />
}
