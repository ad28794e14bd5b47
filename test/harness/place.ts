import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 4 * 2 ** 30

/**
 * Folder for the data of services and servers that tests start: in memory where that has room, because each commit waits
 * for the disk and no test cuts the power. `TMPDIR` names another one.
 */
export const PLACE = process.env.TMPDIR === undefined && hasRoom() ? MEMORY : tmpdir()

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > MIN_FREE_BYTES
  } catch {
    return false
  }
}
