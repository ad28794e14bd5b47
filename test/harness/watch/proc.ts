import { readdirSync, readFileSync } from 'node:fs'

/** What Linux tells of a process; zeros and nothing where there is no /proc. */

const TICKS_PER_SECOND = 100
/** The only worker that starts workers of its own; they are born with its name. */
const PARENT = 'send'
const ITS_WORKERS = 'render'

/** CPU seconds so far, user and system. */
export function cpuSeconds(pid: number): number {
  return cpuOf(`/proc/${pid}/stat`)
}

/** CPU seconds so far by the name of the thread; of a process that was started with `name-threads.ts`. */
export function cpuSecondsByThread(pid: number): { readonly [thread: string]: number } {
  const sums: { [thread: string]: number } = {}
  for (const id of threadsOf(pid)) {
    const name = read(`/proc/${pid}/task/${id}/comm`).trim()
    const thread = name === PARENT && name in sums ? ITS_WORKERS : name
    sums[thread] = (sums[thread] ?? 0) + cpuOf(`/proc/${pid}/task/${id}/stat`)
  }
  return sums
}

export function rssBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1_024
}

function cpuOf(file: string): number {
  const fields = read(file)
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map(Number)
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
