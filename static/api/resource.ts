import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, get } from './client.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Something the service knows, as far as this page has it: an older value stays while a newer one is on its way. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: ApiError | undefined
  readonly loading: boolean
}

/** One thing that is read by GET. */
export class Resource<T> {
  readonly state: Signal<Loaded<T>> = signal<Loaded<T>>({ value: undefined, error: undefined, loading: true })
  /** Reads it anew; never rejects. */
  readonly load: () => Promise<void>

  constructor(path: string) {
    this.load = oneAtATime(async () => {
      const { value } = this.state.peek()
      this.state.value = await get<T>(path).then(
        (next) => ({ value: next, error: undefined, loading: false }),
        (error) => ({ value, error: faultOf(error), loading: false }),
      )
    })
  }
}

export const faultOf = (error: unknown) => (error instanceof ApiError ? error : new ApiError(0, String(error)))

/** Loads `path` while the component is there, and again whenever `pulse` changes. */
export function useResource<T>(path: string, pulse?: ReadonlySignal<unknown>): Resource<T> {
  const resource = useMemo(() => new Resource<T>(path), [path])
  useEffect(() => {
    if (pulse !== undefined) return pulse.subscribe(() => void resource.load())
    void resource.load()
    return undefined
  }, [resource, pulse])
  return resource
}
