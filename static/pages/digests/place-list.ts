import type { DigestPlace, DigestPlacePage } from '../../../src/api/noise/digest.ts'
import { get } from '../../api/client.ts'
import { Resource } from '../../api/resource.ts'

const PAGE = 200

/** Returns the places of a digest from one on, in their order; each load adds a page. */
export function placesOf(number: number, from: number): Resource<readonly DigestPlace[]> {
  let cursor: string | null = String(Math.max(0, from - 1))
  let loaded: readonly DigestPlace[] = []
  return new Resource(async () => {
    if (cursor === null) return loaded
    const page: DigestPlacePage = await get(`/api/admin/digests/${number}/incidents?limit=${PAGE}&cursor=${cursor}`)
    cursor = page.next_cursor
    loaded = [...loaded, ...page.places]
    return loaded
  })
}
