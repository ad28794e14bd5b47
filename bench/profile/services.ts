import type { ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { record, type ThreadRecord, type What } from './recorder.ts'

/** Folder for the recordings of services and trials; '' when nothing is recorded. */
export const PROFILE_DIR = process.env.BENCH_PROFILE_DIR ?? ''
const WHAT: What = process.env.BENCH_PROFILE === 'stacks' ? 'stacks' : 'loops'
/** Options of a Node process that can be recorded. */
export const INSPECT = ['--inspect=127.0.0.1:0']

/**
 * Resolves with the inspector's address of a process that was started with `INSPECT`. Other lines on `errors` are
 * printed.
 */
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

/**
 * Records a service that is ready. The returned function ends the recording and writes it; call it before the service
 * stops.
 */
export async function recordService({ pid }: ChildProcess, errors: Readable): Promise<() => Promise<void>> {
  const recording = await record(await inspectorUrl(errors), WHAT)
  return async () => keep(PROFILE_DIR, `service-${pid}`, await recording.stop())
}

/** Records this process, the one of a trial's case. */
export async function recordSelf(): Promise<() => Promise<void>> {
  inspector.open(0, '127.0.0.1')
  const recording = await record(inspector.url() ?? '', WHAT)
  return async () => keep(PROFILE_DIR, `trial-${process.pid}`, await recording.stop())
}

/** Writes one `.cpuprofile` per thread and one JSON file with all records. */
function keep(dir: string, name: string, threads: readonly ThreadRecord[]): void {
  mkdirSync(dir, { recursive: true })
  for (const { thread, profile } of threads)
    if (profile) writeFileSync(join(dir, `${name}-${thread}.cpuprofile`), JSON.stringify(profile))
  writeFileSync(join(dir, `${name}.json`), JSON.stringify(threads))
}
