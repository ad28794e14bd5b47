import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { machine, markdown, type Row, type Tables, type Trial } from './report.ts'

/**
 * `npm run bench -- [name ...] [--quick] [--json FILE] [--data DIR]`: each trial starts its servers fresh; figures go to stdout, progress to
 * stderr. `--data` is for `mine`: the folder with logs, streams and their scorers.
 */
const TRIALS: { readonly [name: string]: () => Promise<Trial> } = {
  ingest: () => import('./trials/ingest.ts'),
  isolation: () => import('./trials/isolation.ts'),
  pipeline: () => import('./trials/pipeline.ts'),
  render: () => import('./trials/render.ts'),
  oncall: () => import('./trials/oncall.ts'),
  tail: () => import('./trials/tail.ts'),
  'tail-deaf': () => import('./trials/tail-deaf.ts'),
  search: () => import('./trials/search.ts'),
  mine: () => import('./trials/mine.ts'),
  'render-pool': () => import('./trials/render-pool.ts'),
  runtime: () => import('./trials/runtime.ts'),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' }, data: { type: 'string' } },
})
const names = positionals.length > 0 ? positionals : Object.keys(TRIALS)
const unknown = names.filter((name) => !Object.hasOwn(TRIALS, name))
if (unknown.length > 0) {
  console.error(`no trial is called ${unknown.join(', ')}; there are: ${Object.keys(TRIALS).join(', ')}`)
  process.exit(2)
}

console.log(`${machine()}\n`)
const results: { [name: string]: Row[] | Tables } = {}
for (const name of names) {
  const trial = await TRIALS[name]?.()
  if (!trial) continue
  const progress = (what: string) => process.stderr.write(`\r\u001b[K${name}: ${what}`)
  const rows = await trial.run({ quick: values.quick, data: values.data, progress })
  process.stderr.write('\r\u001b[K')
  const tables = Array.isArray(rows) ? { [trial.title]: rows } : rows
  for (const [title, table] of Object.entries(tables)) console.log(markdown(title, table))
  results[name] = rows
}
if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine: machine(), results }, null, 2)}\n`)
