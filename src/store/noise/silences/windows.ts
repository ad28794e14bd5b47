import { isoTime } from '../../../text/iso-time.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { LiveSilence } from './live.ts'

const HORIZON_MS = 14 * 24 * 3_600_000
const MAX_WINDOWS = 14

interface Known {
  readonly edgeAt: number
  readonly windows: readonly { readonly from: string; readonly to: string }[]
}

/**
 * Opens the windows of recurring silences: the open one and those of the next two weeks, at most 14. They are found once
 * for each edge of a silence, because a look at a schedule takes some tenths of a millisecond.
 */
export function openWindows({ now }: Pick<StoreContext, 'now'>) {
  const known = new WeakMap<LiveSilence['compiled'], Known>()

  function find({ window, compiled }: LiveSilence): Known['windows'] {
    const windows: { from: string; to: string }[] = []
    let at = window?.from ?? now()
    while (windows.length < MAX_WINDOWS && at < now() + HORIZON_MS) {
      const { active, until } = compiled.windowAt(at)
      if (until === Number.POSITIVE_INFINITY) break
      if (active) windows.push({ from: isoTime(at), to: isoTime(until) })
      at = until
    }
    return windows
  }

  return function windowsOf(live: LiveSilence | undefined): Known['windows'] {
    if (live?.settings.schedule === undefined) return []
    const { edgeAt, compiled } = live
    const cached = known.get(compiled)
    if (cached?.edgeAt === edgeAt) return cached.windows
    const windows = find(live)
    known.set(compiled, { edgeAt, windows })
    return windows
  }
}
