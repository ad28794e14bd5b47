/** Format of a `.cpuprofile` file. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** Ids of the nodes that were on top of the stack. */
  readonly samples: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[]
}
interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

export const COLLECTOR = '(garbage collector)'
/** Function in which piscina's threads block while they wait for work, outside their event loop. */
const WAITS_OUTSIDE = 'atomicsWaitLoop'
const IDLE = new Set(['(idle)', WAITS_OUTSIDE])

/** Returns the milliseconds of each function without its callees in profiles of one thread, largest first. Idle time is left out. */
export function selfTimes(profiles: readonly CpuProfile[]): { readonly name: string; readonly ms: number }[] {
  const times = new Map<string, number>()
  for (const { nodes, samples, timeDeltas } of profiles) {
    const own = new Map<number, number>()
    for (const [at, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[at] ?? 0) / 1_000)
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const add = (id: number) => {
      const node = byId.get(id)
      if (!node || IDLE.has(node.callFrame.functionName)) return
      if (own.has(id)) times.set(nameOf(node), (times.get(nameOf(node)) ?? 0) + (own.get(id) ?? 0))
      for (const child of node.children ?? []) add(child)
    }
    const [root] = nodes
    for (const child of root?.children ?? []) add(child)
  }
  return Array.from(times, ([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms)
}

/** True when the thread waits for work outside its event loop, which then seems busy all the time. */
export const waitsOutside = ({ nodes }: CpuProfile) =>
  nodes.some(({ callFrame }) => callFrame.functionName === WAITS_OUTSIDE)

/** Name of a frame, such as `commit src/store/commit.ts:42`, with the path from the project's folder. */
function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const file = url.replace(PROJECT, '').replace(/^.*\/node_modules\//, '')
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}
const PROJECT = new URL('../../', import.meta.url).href
