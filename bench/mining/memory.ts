import { spawnSync } from 'node:child_process'
import type { Row } from '../report.ts'

const FULL = { lines: 4_000_000, tokens: 1_000_000 }
const QUICK = { lines: 300_000, tokens: 30_000 }

/** Mines lines with an endless stream of new words, in a process of its own. */
export function rowsOf(quick: boolean): Row[] {
  const { lines, tokens } = quick ? QUICK : FULL
  const script = new URL('junk.ts', import.meta.url).pathname
  const args = ['--disable-warning=ExperimentalWarning', script, String(lines), String(tokens)]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${script} failed: ${stderr}`)
  return [JSON.parse(stdout) as Row]
}
