import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { survivorOf } from '../../src/mining/patterns/cluster.ts'
import { Miner } from '../../src/mining/patterns/miner.ts'
import type { Row } from '../report.ts'
import { rounded, score } from './scorer.ts'

type Mode = 'content' | 'raw'
type Figures = { readonly [system: string]: { readonly [figure: string]: number } }

const FILES = { content: 'content.txt', raw: 'raw.log' } as const
const MAX_PATTERNS = 10_000
const CONTENT = ['GA', 'FGA', 'PA', 'FTA', 'PUR']
const RAW = ['GA', 'FGA', 'GAh', 'FGAh', 'PUR']

export function systemsOf(data: string): string[] {
  return readdirSync(join(data, 'data')).filter((name) => existsSync(join(data, 'data', name, 'truth.tsv')))
}

export function linesOf(data: string, system: string, mode: Mode): string[] {
  return readFileSync(join(data, 'data', system, FILES[mode]), 'utf8')
    .split('\n')
    .slice(0, -1)
}

/**
 * Mines each system's lines with a miner of its own and scores groups and templates as they are at the end. Returns one
 * row for each system and their average.
 */
export function rowsOf(data: string, scratch: string, progress: (what: string) => void): Row[] {
  const content = figures(data, scratch, 'content', progress)
  const raw = figures(data, scratch, 'raw', progress)
  return Object.keys(content).map((system) => ({
    system,
    ...pick('', content[system], CONTENT),
    ...pick('raw ', raw[system], RAW),
  }))
}

function pick(prefix: string, figures: Figures[string] = {}, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, rounded(figures[name] ?? Number.NaN)]))
}

function figures(data: string, scratch: string, mode: Mode, progress: (what: string) => void): Figures {
  const systems = systemsOf(data)
  const predictions = join(scratch, mode)
  mkdirSync(predictions)
  for (const system of systems) {
    progress(`${system}, ${mode}`)
    writeFileSync(join(predictions, `${system}.tsv`), predict(linesOf(data, system, mode)))
  }
  // A copy in a folder of its own: the scorer reads a list beside itself, which names systems that are not there.
  const scorer = join(scratch, 'eval.py')
  copyFileSync(join(data, 'eval.py'), scorer)
  const out = join(scratch, `${mode}.json`)
  const what = ['--data', join(data, 'data'), '--systems', systems.join(','), '--mode', mode]
  score(scorer, ['--pred', predictions, ...what, '--json', out, '--quiet'])
  return JSON.parse(readFileSync(out, 'utf8')) as Figures
}

function predict(lines: readonly string[]): string {
  const miner = new Miner(MAX_PATTERNS, { create: () => undefined, merged: () => {}, removed: () => {} })
  const found = lines.map((line) => miner.observe(line, ''))
  const rows = found.map(survivorOf).map(({ id, template }) => `${id}\t${template.text}\n`)
  return rows.join('')
}
