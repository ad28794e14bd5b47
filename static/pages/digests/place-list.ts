import { type Signal, signal } from '@preact/signals'
import type { DigestPlace, DigestPlacePage } from '../../../src/api/noise/digest.ts'
import { type ApiError, get } from '../../api/client.ts'
import { oneAtATime } from '../../api/one-at-a-time.ts'
import { messageOf } from '../../api/resource.ts'

const PAGE = 200

/** The places of a digest in their order, loaded as far as the reader has scrolled. */
export class PlaceList {
  readonly rows: Signal<readonly DigestPlace[] | undefined> = signal<readonly DigestPlace[] | undefined>(undefined)
  readonly error: Signal<ApiError | undefined> = signal<ApiError | undefined>(undefined)
  readonly more = oneAtATime(() => this.#more())
  readonly #path: string
  #cursor: string | null

  /** @param from the first place */
  constructor(number: number, from: number) {
    this.#path = `/api/admin/digests/${number}/incidents?limit=${PAGE}&cursor=`
    this.#cursor = String(Math.max(0, from - 1))
  }

  async #more(): Promise<void> {
    if (this.#cursor === null) return
    try {
      const { places, next_cursor } = await get<DigestPlacePage>(this.#path + this.#cursor)
      this.#cursor = next_cursor
      this.rows.value = [...(this.rows.peek() ?? []), ...places]
      this.error.value = undefined
    } catch (error) {
      this.error.value = messageOf(error)
    }
  }
}
