import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { rowsOf as memory } from '../mining/memory.ts'
import { rowsOf as speed } from '../mining/speed.ts'
import { rowsOf as streams } from '../mining/streams.ts'
import { rowsOf as systems } from '../mining/systems.ts'
import type { Tables, TrialOptions } from '../report.ts'

export const title = 'mine'

/** Logs, streams and scorers are not the project's: `--data` names their folder. Without it only what needs none of them is measured. */
export async function run({ quick, data, progress }: TrialOptions): Promise<Tables> {
  progress('junk words')
  const bounded = { 'mine: memory, lines with ever new words': memory(quick) }
  if (data === undefined) return bounded
  const folder = resolve(data)
  const scratch = mkdtempSync(join(tmpdir(), 'tocsin-bench-mine-'))
  try {
    return {
      'mine: grouping and templates, one configuration, online (raw: with the header)': systems(
        folder,
        scratch,
        progress,
      ),
      'mine: what the agent raises': streams(folder, scratch, progress),
      'mine: speed': await speed(folder, quick),
      ...bounded,
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
