import type { DeliveryPage } from '../../../src/api/delivery.ts'
import { get } from '../../api/client.ts'
import { Resource } from '../../api/resource.ts'

const PAGE = 50
const MAX_ROWS = 500

/** Opens the list of the dead letters of one channel, or of all with '', those of the newest incidents first. */
export function openDeadList(channel: string) {
  let limit = PAGE
  const query = channel === '' ? '' : `&channel=${channel}`
  const list = new Resource(() => get<DeliveryPage>(`/api/admin/deliveries?state=dead&limit=${limit}${query}`))
  return {
    list,
    /** Returns true when older ones exist and can be shown. */
    hasMore: () => list.value?.next_cursor !== null && limit < MAX_ROWS,
    /** Shows three times as many, at most 500. Older ones are counted, and replayed with the others, but not listed. */
    more() {
      limit = Math.min(MAX_ROWS, limit * 3)
      void list.load()
    },
  }
}
