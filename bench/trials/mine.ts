import { spawnSync } from 'node:child_process'
import type { Row, TrialOptions } from '../report.ts'

export const title = 'mine: memory, lines with ever new words'

const SCRIPT = new URL('../mining/junk.ts', import.meta.url).pathname
const FULL = { lines: 4_000_000, words: 1_000_000 }
const QUICK = { lines: 300_000, words: 30_000 }

/** Mines lines with an endless stream of new words, in a process of its own. */
export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const { lines, words } = quick ? QUICK : FULL
  progress(`${lines} lines`)
  const args = ['--disable-warning=ExperimentalWarning', SCRIPT, String(lines), String(words)]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${SCRIPT} failed: ${stderr}`)
  return [JSON.parse(stdout) as Row]
}
