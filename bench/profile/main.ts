import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdown } from '../markdown.ts'
import { progressLine } from '../progress.ts'
import type { Row } from '../report.ts'
import { runTrial } from '../run-trial.ts'
import { moduleOf, TRIALS } from '../trial-list.ts'
import { COLLECTOR, selfTimes, waitsOutside } from './cpu-profile.ts'
import type { ThreadRecord, What } from './recorder.ts'

const USAGE = `npm run profile -- TRIAL [--full] [--out DIR]

Runs a trial twice, in short form unless --full, and records every thread of the services that it starts (of its own process, when it starts
none) from the time they are ready: first how busy the event loops are, then the stacks, since sampling those wakes the loops. DIR (bench/results/profile-TRIAL) gets a .cpuprofile a thread, which the
developer tools of a browser and speedscope open as a flame graph. The figures of a trial that is recorded are not those of one that is not.
`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, out: { type: 'string' } },
})
const [trial = ''] = positionals
if (positionals.length !== 1 || !Object.hasOwn(TRIALS, trial)) {
  console.error(`${USAGE}\nTrials: ${Object.keys(TRIALS).join(', ')}`)
  process.exit(2)
}
const DEADLINE_MS = 15 * 60_000
const TOP = 4

const out = values.out ?? `bench/results/profile-${trial}`
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
process.env.BENCH_PROFILE_DIR = out
let failed = false
const scratch = mkdtempSync(join(tmpdir(), 'tocsin-profile-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
const loops = await recorded('loops')
const stacks = await recorded('stacks')
const threads = Array.from(
  Map.groupBy(stacks, ({ thread }) => thread),
  ([thread, records]) => {
    const profiles = records.flatMap(({ profile }) => profile ?? [])
    return { thread, records, profiles, tops: selfTimes(profiles) }
  },
)
console.log(markdown(`Where the time went: ${trial}`, threads.map(row)))
console.log(`${out}: *.cpuprofile of each thread`)
if (failed || threads.length === 0) process.exit(1)

/** Runs the trial once and returns the records of its services, or of its own processes when it starts none. */
async function recorded(what: What): Promise<ThreadRecord[]> {
  process.env.BENCH_PROFILE = what
  const { errors } = await runTrial(
    moduleOf(trial),
    { quick: !values.full, scratch },
    {
      deadline: () => AbortSignal.timeout(DEADLINE_MS),
      progress: (now) => progressLine.progress(`${trial}, ${what}: ${now}`),
    },
  )
  progressLine.done(`${trial}: ${what} were recorded`)
  for (const error of errors) console.error(`${trial} FAILED: ${error}`)
  failed ||= errors.length > 0
  return collected()
}

function collected(): ThreadRecord[] {
  const files = readdirSync(out)
  const kind = files.some((name) => name.startsWith('service-')) ? 'service-' : 'trial-'
  const found: ThreadRecord[] = []
  for (const name of files) {
    const file = join(out, name)
    if (name.endsWith('.json') && name.startsWith(kind)) found.push(...JSON.parse(readFileSync(file, 'utf8')))
    if (name.endsWith('.json') || !name.startsWith(kind)) rmSync(file)
  }
  return found.sort((a, b) => a.thread.localeCompare(b.thread))
}

function row({ thread, records, profiles, tops }: (typeof threads)[number]): Row {
  const ms = records.reduce((sum, { seconds }) => sum + seconds * 1_000, 0)
  const workMs = tops.reduce((sum, each) => sum + each.ms, 0)
  return {
    thread,
    'recorded s': Number((ms / 1_000).toFixed(1)),
    'event loop busy': profiles.some(waitsOutside) ? '' : utilizationOf(thread),
    'at work': share(workMs, ms),
    'garbage collection': share(tops.find(({ name }) => name === COLLECTOR)?.ms ?? 0, ms),
    'most by itself, of its work': tops
      .slice(0, TOP)
      .map((each) => `${share(each.ms, workMs)} ${each.name}`)
      .join('; '),
  }
}

/** Utilisation of a thread's event loop in the run without sampling. */
function utilizationOf(thread: string): string {
  const own = loops.filter((each) => each.thread === thread)
  const seconds = own.reduce((sum, each) => sum + each.seconds, 0)
  return share(
    own.reduce((sum, each) => sum + each.seconds * each.utilization, 0),
    seconds,
  )
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`
}
