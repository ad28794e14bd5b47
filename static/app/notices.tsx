import { signal } from '@preact/signals'
import { Button } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'

interface Notice {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
}

const SHOWN_MS = 6_000
const MAX_SHOWN = 4
const notices = signal<readonly Notice[]>([])
let last = 0

/** Shows a text in the corner for 6 s; screen readers read it when they are idle. */
function notify(kind: Notice['kind'], text: string): void {
  const id = ++last
  notices.value = [...notices.value.slice(1 - MAX_SHOWN), { id, kind, text }]
  setTimeout(() => dismiss(id), SHOWN_MS)
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/** Runs an action and shows its result or its error. Resolves with the result, or undefined when it failed. */
export async function attempt<T>(work: () => Promise<T>, done: (result: T) => string): Promise<T | undefined> {
  try {
    const result = await work()
    notify('done', done(result))
    return result
  } catch (error) {
    notify('failed', error instanceof Error ? error.message : String(error))
    return undefined
  }
}

export function Notices() {
  return (
    <div class="notices stack gap-2" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice notice-${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'cross'} />
          <span>{text}</span>
          <Button look="plain" icon="close" name="Dismiss" onPress={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
