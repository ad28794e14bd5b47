import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, get } from './client.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** A value of the service. The last value stays while a newer one is loaded, and after an error. */
interface ResourceState<T> {
  readonly value: T | undefined
  readonly error: ApiError | undefined
  readonly loading: boolean
}

/** A value that is read again and again. */
export class Resource<T> {
  readonly state: Signal<ResourceState<T>> = signal<ResourceState<T>>({
    value: undefined,
    error: undefined,
    loading: true,
  })
  /** Reads it again. Never rejects. */
  readonly load: () => Promise<void>

  /** The value in `state`. */
  get value(): T | undefined {
    return this.state.value.value
  }

  constructor(read: () => Promise<T>) {
    this.load = oneAtATime(async () => {
      const { value } = this.state.peek()
      this.state.value = await read().then(
        (next) => ({ value: next, error: undefined, loading: false }),
        (error) => ({ value, error: messageOf(error), loading: false }),
      )
    })
  }
}

export const messageOf = (error: unknown) => (error instanceof ApiError ? error : new ApiError(0, String(error)))

/** Loads `path` when the component is mounted, and again whenever `refreshOn` changes. */
export function useResource<T>(path: string, refreshOn?: ReadonlySignal<unknown>): Resource<T> {
  const resource = useMemo(() => new Resource(() => get<T>(path)), [path])
  useEffect(() => {
    if (refreshOn !== undefined) return refreshOn.subscribe(() => void resource.load())
    void resource.load()
    return undefined
  }, [resource, refreshOn])
  return resource
}
