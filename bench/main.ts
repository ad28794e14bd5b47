import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { diskNote } from './disk-note.ts'
import { htmlReport } from './html.ts'
import { load, machine, quiet } from './machine.ts'
import { goalRows, markdown } from './markdown.ts'
import { progressLine } from './progress.ts'
import { publish } from './published.ts'
import type { Results } from './results.ts'
import { runTrial, type TrialResult } from './run-trial.ts'
import { moduleOf, TRIALS } from './trial-list.ts'

const list = Object.entries(TRIALS).map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
const USAGE = `npm run bench -- [trial ...] [--quick] [--json FILE] [--html FILE] [--disk DIR]
                             [--publish] [--data DIR]

Without a name: all trials but brief, cluster, storm and soak, one after the other. Nothing else should run on the machine.

${list.join('\n')}

  --quick      short and rough: all trials, storm and soak included, in about a minute
  --json FILE  writes the results
  --html FILE  writes a page with tables and plots
  --disk DIR   keeps all data directories in DIR, such as /dev/shm for tmpfs; titles say so, and published tables
               stand beside those of the usual disk
  --data DIR   retrieval: measures the openings of a data directory, too; its service must not run
  --publish    merges the results into bench/published.json and writes docs/performance.md and its plots anew
`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    html: { type: 'string' },
    disk: { type: 'string' },
    data: { type: 'string' },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const { quick } = values
if (values.data !== undefined) process.env.BENCH_DATA = resolve(values.data)
if (quick && values.publish) {
  console.error('rough figures are not published: leave out --quick, or --publish')
  process.exit(2)
}
const unknown = positionals.filter((name) => !Object.hasOwn(TRIALS, name))
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no trial is called ${unknown.join(', ')}`)
  console.error(USAGE)
  process.exit(values.help ? 0 : 2)
}
const named = positionals.length > 0
const names = named ? positionals : Object.keys(TRIALS).filter((name) => quick || TRIALS[name]?.run === 'always')
/** Time for one case. */
const DEADLINE_MS = 15 * 60_000

const scratch = mkdtempSync(join(values.disk ?? tmpdir(), 'tocsin-bench-'))
const note = values.disk === undefined ? '' : diskNote(values.disk)
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

console.log(`${machine()}; load ${load()} before the first trial\n`)
const began = performance.now()
const trials: { [name: string]: TrialResult } = {}
for (const name of names) {
  const tools = {
    deadline: () => AbortSignal.timeout(DEADLINE_MS),
    note,
    progress: (what: string) => progressLine.progress(`${name}: ${what}`),
  }
  if (!quick && !(await quiet())) console.error(`Other processes use this machine: ${name} will be rough.`)
  const result = await runTrial(moduleOf(name), { quick, scratch }, tools)
  progressLine.done(`${name}: ${result.seconds} s`)
  trials[name] = result
  for (const [title, rows] of Object.entries(result.tables)) console.log(markdown(title, rows))
  if (result.leftOut !== '') console.log(`${name}, left out: ${result.leftOut}\n`)
  for (const error of result.errors) console.log(`${name} FAILED: ${error}\n`)
}

const goals = Object.entries(trials).flatMap(([name, { tables }]) => goalRows(name, tables))
if (goals.length > 0) console.log(markdown('Goals', goals))
console.log(`${names.length} trials in ${Math.round((performance.now() - began) / 1_000)} s`)
const results: Results = { machine: machine(), trials }
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
if (values.html) writeFileSync(values.html, htmlReport(results))
if (values.publish) console.log(`published: ${publish(results, note).join(', ') || 'nothing'}`)
const failed = Object.keys(trials).filter((name) => trials[name]?.errors.length !== 0)
if (failed.length > 0) {
  console.error(`FAILED: ${failed.join(', ')}`)
  process.exit(1)
}
