import { mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rowsOf as blind } from '../mining/blind/rows.ts'
import { rowsOf as memory } from '../mining/memory.ts'
import { rowsOf as speed } from '../mining/speed.ts'
import { rowsOf as streams } from '../mining/streams.ts'
import { rowsOf as systems } from '../mining/systems.ts'
import type { CaseOptions, Tables, TrialOptions } from '../report.ts'

export const title = 'mine'

interface Case {
  readonly what: 'memory' | 'systems' | 'streams' | 'blind' | 'speed'
}

export function cases({ data }: CaseOptions): Case[] {
  const here: Case[] = [{ what: 'memory' }]
  return data === undefined
    ? here
    : [...here, { what: 'systems' }, { what: 'streams' }, { what: 'blind' }, { what: 'speed' }]
}

/** Logs, streams and scorers are not part of the project. */
export const leftOut = ({ data }: CaseOptions) =>
  data === undefined
    ? 'grouping, templates, streams, the blind set and speed: they need --data DIR, a folder with logs and scorers'
    : ''

export async function run({ quick, data = '', scratch, progress }: TrialOptions, { what }: Case): Promise<Tables> {
  progress(what)
  const folder = resolve(data)
  const own = mkdtempSync(join(scratch, 'mine-'))
  switch (what) {
    case 'memory':
      return { 'mine: memory, lines with ever new words': memory(quick) }
    case 'systems':
      return {
        'mine: grouping and templates, one configuration, online (raw: with the header)': systems(
          folder,
          own,
          progress,
        ),
      }
    case 'streams':
      return { 'mine: findings in streams of log lines': streams(folder, own, progress) }
    case 'blind': {
      const rows = blind(folder, own, progress)
      return {
        'mine: grouping and templates of logs that no rule was made for': rows.systems,
        'mine: findings in streams of these logs': rows.streams,
      }
    }
    case 'speed':
      return { 'mine: speed': await speed(folder, quick) }
    default:
      return what satisfies never
  }
}
