import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Row } from '../../report.ts'
import { measure } from '../../report.ts'
import type { Fired } from './history.ts'
import type { Method } from './methods.ts'

/** Reads the openings of a data directory in order of time. */
export function recordedIn(dataDir: string): Fired[] {
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'), { readOnly: true })
  const select = 'SELECT problem, title, service, words FROM openings WHERE words IS NOT NULL ORDER BY id'
  const rows = db.prepare(select).all() as { problem: number; title: string; service: string; words: Uint8Array }[]
  db.close()
  return rows.map(({ words, ...row }) => ({
    ...row,
    ...{ family: row.problem, kind: 'recorded', words: new Uint32Array(words.slice().buffer) },
  }))
}

/** Measures how often, in the newer fifth, the own problem is among five with the fingerprint hidden, if it fired before. */
export function hiddenRow(name: string, history: readonly Fired[], method: Method): Row {
  const known = new Set<number>()
  let [asked, found] = [0, 0]
  history.forEach((opening, at) => {
    if (at >= history.length * 0.8 && known.has(opening.problem)) {
      asked++
      found += Number(method.list({ ...opening, problem: -1 }, 5).includes(opening.problem))
    }
    method.add(opening)
    known.add(opening.problem)
  })
  return { method: name, openings: history.length, asked, 'recall@5': measure([found / asked], 3) }
}
