import { readdirSync, readFileSync } from 'node:fs'

/** Readings of a process from /proc. Without /proc, or when the process has ended: 0, or nothing. */

const TICKS_PER_SECOND = 100
/** The only worker that starts workers of its own. They inherit its name in /proc. */
const PARENT = 'send'
const CHILDREN = 'render'

/** CPU seconds so far, user and system. */
export function cpuSeconds(pid: number): number {
  return cpuSecondsIn(`/proc/${pid}/stat`)
}

/**
 * CPU seconds so far by name of the thread. The process must have been started with `bench/servers/name-threads.ts`.
 */
export function cpuSecondsByThread(pid: number): { readonly [thread: string]: number } {
  const sums: { [thread: string]: number } = {}
  for (const id of threadIds(pid)) {
    const name = read(`/proc/${pid}/task/${id}/comm`).trim()
    const thread = name === PARENT && name in sums ? CHILDREN : name
    sums[thread] = (sums[thread] ?? 0) + cpuSecondsIn(`/proc/${pid}/task/${id}/stat`)
  }
  return sums
}

/** Resident memory. */
export const rssBytes = (pid: number) => statusOf(pid, 'VmRSS') * 1_024

export const threadCount = (pid: number) => statusOf(pid, 'Threads')

/** Open file descriptors: files, pipes and sockets. */
export const openFiles = (pid: number) => entries(`/proc/${pid}/fd`).length

/** File descriptors that this process, and each process that it starts, may have open. */
export function maxOpenFiles(): number {
  return Number(/^Max open files +(\d+)/m.exec(read('/proc/self/limits'))?.[1] ?? Number.POSITIVE_INFINITY)
}

/** Milliseconds in which the main thread was ready to run and had no core, so far. */
export function waitedForCoreMs(pid: number): number {
  return Number(read(`/proc/${pid}/task/${pid}/schedstat`).split(' ')[1] ?? 0) / 1e6
}

const ESTABLISHED = '01'

/** Connections of clients to a port on IPv4. */
export function clientConnections(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return read('/proc/net/tcp')
    .split('\n')
    .filter((line) => {
      const [, from, , state] = line.trim().split(/\s+/)
      return from?.endsWith(local) && state === ESTABLISHED
    }).length
}

function statusOf(pid: number, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
}

function cpuSecondsIn(file: string): number {
  const fields = read(file)
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
}

/** In the order in which the threads were started. */
function threadIds(pid: number): number[] {
  return entries(`/proc/${pid}/task`)
    .map(Number)
    .sort((a, b) => a - b)
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
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
