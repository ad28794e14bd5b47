import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { machine, markdown, type Row, type Trial } from './report.ts'

/** `npm run bench -- [name ...] [--quick] [--json FILE]`: each trial starts its servers fresh; figures go to stdout, progress to stderr. */
const TRIALS: { readonly [name: string]: () => Promise<Trial> } = {
  ingest: () => import('./trials/ingest.ts'),
  pipeline: () => import('./trials/pipeline.ts'),
  render: () => import('./trials/render.ts'),
  tail: () => import('./trials/tail.ts'),
  search: () => import('./trials/search.ts'),
  'render-pool': () => import('./trials/render-pool.ts'),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
})
const names = positionals.length > 0 ? positionals : Object.keys(TRIALS)
const unknown = names.filter((name) => !Object.hasOwn(TRIALS, name))
if (unknown.length > 0) {
  console.error(`no trial is called ${unknown.join(', ')}; there are: ${Object.keys(TRIALS).join(', ')}`)
  process.exit(2)
}

console.log(`${machine()}\n`)
const results: { [name: string]: Row[] } = {}
for (const name of names) {
  const trial = await TRIALS[name]?.()
  if (!trial) continue
  const progress = (what: string) => process.stderr.write(`\r\u001b[K${name}: ${what}`)
  const rows = await trial.run({ quick: values.quick, progress })
  process.stderr.write('\r\u001b[K')
  console.log(markdown(trial.title, rows))
  results[name] = rows
}
if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine: machine(), results }, null, 2)}\n`)
