import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../harness/config-file.ts'

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
/** Why no clock can be set wrong; false: it can. */
export const skipFaketime = library === undefined && 'no libfaketime: install Debian’s faketime'

/** The wall clock of a process. Its monotonic clock stays right, as that of a machine whose clock is set wrong. */
export interface FakeClock {
  /** For the process. */
  readonly env: NodeJS.ProcessEnv
  /** Sets the clock: `+3h` is three hours ahead of this machine's. The process follows within a second. */
  set(offset: string): void
}

export function fakeClock(offset: string): FakeClock {
  const file = join(folder(), 'faketime')
  const set = (next: string) => writeFileSync(file, `${next}\n`)
  set(offset)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}
