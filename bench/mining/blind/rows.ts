import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../../report.ts'
import { rowsOf as streams } from '../streams.ts'
import { rowsOf as systems } from '../systems.ts'
import { writeBlindSet } from './write.ts'

const SEED = 20_260_331

interface BlindRows {
  readonly systems: Row[]
  readonly streams: Row[]
}

/** Writes the blind set and has it judged by the scorers in `data`, as the logs there are. */
export function rowsOf(data: string, scratch: string, progress: (what: string) => void): BlindRows {
  const set = join(scratch, 'set')
  writeBlindSet(set, SEED)
  for (const scorer of ['eval.py', 'score.py']) copyFileSync(join(data, scorer), join(set, scorer))
  const [grouping, findings] = [join(scratch, 'systems'), join(scratch, 'streams')]
  for (const folder of [grouping, findings]) mkdirSync(folder)
  const rows = systems(set, grouping, progress)
  return { systems: rows, streams: streams(set, findings, progress) }
}
