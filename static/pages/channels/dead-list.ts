import { type Signal, signal } from '@preact/signals'
import type { DeliveryPage, DeliveryRecord } from '../../../src/api/delivery.ts'
import { type ApiError, get } from '../../api/client.ts'
import { oneAtATime } from '../../api/one-at-a-time.ts'
import { messageOf } from '../../api/resource.ts'

const PAGE = 50
const MAX_ROWS = 500

/** Dead letters of one channel, or of all with '', those of the newest incidents first. */
export class DeadList {
  readonly rows: Signal<readonly DeliveryRecord[] | undefined> = signal<readonly DeliveryRecord[] | undefined>(
    undefined,
  )
  readonly error: Signal<ApiError | undefined> = signal<ApiError | undefined>(undefined)
  /** True when older ones exist and can be shown. */
  readonly more: Signal<boolean> = signal(false)
  readonly refresh = oneAtATime(() => this.#read())
  readonly #channel: string
  #limit = PAGE

  constructor(channel: string) {
    this.#channel = channel
  }

  /** Shows three times as many, at most 500. Older ones are counted, and replayed with the others, but not listed. */
  next(): Promise<void> {
    this.#limit = Math.min(MAX_ROWS, this.#limit * 3)
    return this.refresh()
  }

  async #read(): Promise<void> {
    const channel = this.#channel === '' ? '' : `&channel=${this.#channel}`
    try {
      const page = await get<DeliveryPage>(`/api/admin/deliveries?state=dead&limit=${this.#limit}${channel}`)
      this.rows.value = page.deliveries
      this.more.value = page.next_cursor !== null && this.#limit < MAX_ROWS
      this.error.value = undefined
    } catch (error) {
      this.error.value = messageOf(error)
    }
  }
}
