import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../../test/harness/statistics.ts'

const PAGE_BYTES = 4_096
const PAGES = 64
const TIMES = 100

/**
 * Returns the median milliseconds of writing a page and waiting for fdatasync, in a file of `dir` whose space is
 * written already: what a commit on that disk waits for at least. About 0 on tmpfs.
 */
export function measureFdatasync(dir: string): number {
  const own = mkdtempSync(join(dir, 'fdatasync-'))
  const file = openSync(join(own, 'file'), 'w')
  try {
    writeSync(file, Buffer.alloc(PAGES * PAGE_BYTES), 0, PAGES * PAGE_BYTES, 0)
    fdatasyncSync(file)
    const page = Buffer.alloc(PAGE_BYTES, 1)
    const took = Array.from({ length: TIMES }, (_, n) => {
      const began = performance.now()
      writeSync(file, page, 0, PAGE_BYTES, (n % PAGES) * PAGE_BYTES)
      fdatasyncSync(file)
      return performance.now() - began
    })
    return median(took)
  } finally {
    closeSync(file)
    rmSync(own, { recursive: true })
  }
}
