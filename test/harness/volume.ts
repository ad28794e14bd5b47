import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * Creates a folder whose `data` is a volume of 64 MiB. Returns undefined and skips the test where none can be mounted:
 * it needs Linux and root.
 */
export function onSmallVolume(t: TestContext): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-test-'))
  const at = join(dir, 'data')
  mkdirSync(at)
  let mounted = true
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', at], { stdio: 'ignore' })
  } catch {
    mounted = false
    t.skip('no volume can be mounted here')
  }
  t.after(() => {
    if (mounted) execFileSync('umount', ['-l', at])
    rmSync(dir, { recursive: true, force: true })
  })
  return mounted ? dir : undefined
}

/** Writes a file until the volume is full. */
export function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (const block = Buffer.alloc(4_096); ; ) writeSync(file, block)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    closeSync(file)
  }
}

/** Runs the work while the files are immutable, even for processes that have them open. */
export async function whileReadOnly(files: readonly string[], work: () => Promise<void>): Promise<void> {
  execFileSync('chattr', ['+i', ...files])
  try {
    await work()
  } finally {
    execFileSync('chattr', ['-i', ...files])
  }
}

/**
 * True when an open file can be made immutable here; else skips the test. It needs root, and not every file system can.
 */
export function holdsOpenFiles(t: TestContext, dir: string): boolean {
  const probe = join(dir, 'probe')
  const file = openSync(probe, 'w')
  try {
    execFileSync('chattr', ['+i', probe], { stdio: 'ignore' })
    writeSync(file, 'x')
    t.skip('a file that is open cannot be made read-only here')
    return false
  } catch (error) {
    const held = error instanceof Error && 'code' in error && error.code === 'EPERM'
    if (!held) t.skip('chattr is refused here')
    return held
  } finally {
    execFileSync('chattr', ['-f', '-i', probe], { stdio: 'ignore' })
    closeSync(file)
    rmSync(probe)
  }
}
