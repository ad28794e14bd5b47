import { type Spent, spending } from './cpu-usage.ts'
import { type LoadRequest, type LoadResult, load } from './load.ts'
import type { Server } from './process.ts'

export type Loaded = LoadResult & Spent

/** What a server answers, and what that costs it, after a second of the same to be warm (none: `cold`). */
export async function loaded(server: Server, request: LoadRequest, start: 'warm' | 'cold' = 'warm'): Promise<Loaded> {
  if (start === 'warm') await load({ ...request, seconds: 1 })
  const spent = spending(server)
  const result = await load(request)
  return { ...result, ...spent(result.perSecond * request.seconds) }
}
