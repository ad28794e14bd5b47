import type { Engine } from './sql.ts'

/** Milliseconds of a turn that long work may take: a turn goes on with what it leaves. A server answers later than a file. */
const SHARE_MS = { file: 4, server: 10 } as const
/** Parts of it that a turn does at most. */
const PARTS = 8

/** Does the next part of long work; false: there is none. */
type Part = () => boolean

/** Opens the running of long work in parts, until a turn's share of time is used up. `elapsed`: milliseconds of a clock that is never set. */
export function openShare({ isRemote }: Pick<Engine, 'isRemote'>, elapsed: () => number) {
  return (...works: readonly Part[]): void => {
    const until = elapsed() + SHARE_MS[isRemote ? 'server' : 'file']
    for (const part of works) for (let left = PARTS; left > 0 && part(); left--) if (elapsed() >= until) return
  }
}
