import type { ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { record, type ThreadRecord, type What } from './recorder.ts'

/** Where the services that a trial starts are to leave what their threads did; '' when nobody wants to know. */
export const PROFILE_DIR = process.env.BENCH_PROFILE_DIR ?? ''
const WHAT: What = process.env.BENCH_PROFILE === 'stacks' ? 'stacks' : 'loops'
/** Options of a node process that can be recorded. */
export const INSPECT = ['--inspect=127.0.0.1:0']

/** Address of the inspector of a process started with `INSPECT`; its other words on `errors` go on. */
export function inspectorUrl(errors: Readable): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: errors }).on('line', (line) => {
      const [, url] = /^Debugger listening on (ws:\S+)$/.exec(line) ?? []
      if (url) resolve(url)
      else if (!OF_NODE.test(line)) process.stderr.write(`${line}\n`)
    })
  })
}
const OF_NODE = /^(For help, see: https:\/\/nodejs\.org|Debugger attached|Waiting for the debugger|Debugger ending on)/

/** Records a service that is ready; what is returned is to be called before it is stopped. */
export async function recordService({ pid }: ChildProcess, errors: Readable): Promise<() => Promise<void>> {
  const recording = await record(await inspectorUrl(errors), WHAT)
  return async () => keep(PROFILE_DIR, `service-${pid}`, await recording.stop())
}

/** Records the process of a trial itself. */
export async function recordSelf(): Promise<() => Promise<void>> {
  inspector.open(0, '127.0.0.1')
  const recording = await record(inspector.url() ?? '', WHAT)
  return async () => keep(PROFILE_DIR, `trial-${process.pid}`, await recording.stop())
}

/** A file for each thread that DevTools and speedscope open, and one with all that was found. */
function keep(dir: string, name: string, threads: readonly ThreadRecord[]): void {
  mkdirSync(dir, { recursive: true })
  for (const { thread, profile } of threads)
    if (profile) writeFileSync(join(dir, `${name}-${thread}.cpuprofile`), JSON.stringify(profile))
  writeFileSync(join(dir, `${name}.json`), JSON.stringify(threads))
}
