import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, get } from './client.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Something the service knows, as far as this page has it: an older value stays while a newer one is on its way. */
interface ResourceState<T> {
  readonly value: T | undefined
  readonly error: ApiError | undefined
  readonly loading: boolean
}

/** One thing that is read by GET. */
class Resource<T> {
  readonly state: Signal<ResourceState<T>> = signal<ResourceState<T>>({
    value: undefined,
    error: undefined,
    loading: true,
  })
  /** Reads it anew; never rejects. */
  readonly load: () => Promise<void>

  constructor(path: string) {
    this.load = oneAtATime(async () => {
      const { value } = this.state.peek()
      this.state.value = await get<T>(path).then(
        (next) => ({ value: next, error: undefined, loading: false }),
        (error) => ({ value, error: messageOf(error), loading: false }),
      )
    })
  }
}

export const messageOf = (error: unknown) => (error instanceof ApiError ? error : new ApiError(0, String(error)))

/** Loads `path` while the component is there, and again whenever `pulse` changes. */
export function useResource<T>(path: string, refreshOn?: ReadonlySignal<unknown>): Resource<T> {
  const resource = useMemo(() => new Resource<T>(path), [path])
  useEffect(() => {
    if (refreshOn !== undefined) return refreshOn.subscribe(() => void resource.load())
    void resource.load()
    return undefined
  }, [resource, refreshOn])
  return resource
}
