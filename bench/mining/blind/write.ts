import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { templatesOf } from './event.ts'
import { logOf } from './log.ts'
import { scenarios } from './scenarios.ts'
import { streamOf } from './stream.ts'
import { systems } from './systems/index.ts'

/** Writes logs and streams with their truth, in the files that the scorers read. The same seed gives the same bytes. */
export function writeBlindSet(folder: string, seed: number): void {
  for (const [at, system] of systems.entries()) {
    const target = join(folder, 'data', system.name)
    mkdirSync(target, { recursive: true })
    const templates = templatesOf(system)
    const lines = logOf(system, seed + at)
    const truth = lines.map(({ event, cells }, nth) => {
      const template = templates.get(event) ?? ''
      return [nth + 1, event, template, template, template, cells.join('|')].join('\t')
    })
    write(
      join(target, 'raw.log'),
      lines.map(({ header, content }) => header + content),
    )
    write(
      join(target, 'content.txt'),
      lines.map(({ content }) => content),
    )
    write(join(target, 'truth.tsv'), truth)
  }
  for (const [at, scenario] of scenarios.entries()) {
    const target = join(folder, 'scenarios', 'blind', scenario.name)
    mkdirSync(target, { recursive: true })
    const { train, detect, truth } = streamOf(scenario, seed + systems.length + at)
    write(
      join(target, 'train.jsonl'),
      train.map((row) => JSON.stringify(row)),
    )
    write(
      join(target, 'detect.jsonl'),
      detect.map((row) => JSON.stringify(row)),
    )
    write(join(target, 'truth.json'), [JSON.stringify(truth)])
  }
}

const write = (file: string, lines: readonly string[]) => writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
