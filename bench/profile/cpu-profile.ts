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

/** A function in a stack and its callees, in the format of d3-flame-graph. */
export interface Frame {
  readonly name: string
  /** Milliseconds, those of its children included. */
  value: number
  readonly children: Frame[]
}

const COLLECTOR = '(garbage collector)'
/** Function in which piscina's threads block while they wait for work, outside their event loop. */
const WAITS_OUTSIDE = 'atomicsWaitLoop'
const IDLE = new Set(['(idle)', WAITS_OUTSIDE])

/** Merges profiles of one thread into a tree of stacks, without idle time. */
export function framesOf(profiles: readonly CpuProfile[]): Frame {
  const root: Frame = { name: 'all', value: 0, children: [] }
  for (const profile of profiles) addTo(root, profile)
  for (const child of root.children) sum(child)
  root.value = root.children.reduce((total, { value }) => total + value, 0)
  return root
}

/** Drops frames below `least` milliseconds, which would be invisible in the graph. */
export function withoutDust({ name, value, children }: Frame, least: number): Frame {
  const kept = children.filter((child) => child.value >= least)
  return { name, value, children: kept.map((child) => withoutDust(child, least)) }
}

/** Milliseconds of each function without its callees, largest first. */
export function selfTimes(root: Frame): { readonly name: string; readonly ms: number }[] {
  const times = new Map<string, number>()
  const walk = ({ name, value, children }: Frame) => {
    const inside = children.reduce((total, child) => total + child.value, 0)
    times.set(name, (times.get(name) ?? 0) + value - inside)
    for (const child of children) walk(child)
  }
  for (const child of root.children) walk(child)
  return Array.from(times, ([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms)
}

/** Milliseconds in which the garbage collector stopped the thread. */
export const collectorMs = (root: Frame) => selfTimes(root).find(({ name }) => name === COLLECTOR)?.ms ?? 0

/** True when the thread waits for work outside its event loop, which then seems busy all the time. */
export const waitsOutside = ({ nodes }: CpuProfile) =>
  nodes.some(({ callFrame }) => callFrame.functionName === WAITS_OUTSIDE)

function addTo(root: Frame, { nodes, samples, timeDeltas }: CpuProfile): void {
  const own = new Map<number, number>()
  for (const [at, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[at] ?? 0) / 1_000)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const walk = (id: number, into: Frame) => {
    const node = byId.get(id)
    if (!node || IDLE.has(node.callFrame.functionName)) return
    const frame = node.callFrame.functionName === '(root)' ? into : childOf(into, nameOf(node))
    frame.value += own.get(id) ?? 0
    for (const child of node.children ?? []) walk(child, frame)
  }
  const [top] = nodes
  if (top) walk(top.id, root)
}

function childOf({ children }: Frame, name: string): Frame {
  const known = children.find((child) => child.name === name)
  if (known) return known
  const made: Frame = { name, value: 0, children: [] }
  children.push(made)
  return made
}

/** Adds the time of its children to each frame. */
function sum(frame: Frame): number {
  for (const child of frame.children) frame.value += sum(child)
  return frame.value
}

/** Name of a frame, such as `commit src/store/commit.ts:42`, with the path from the project's folder. */
function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const file = url.replace(PROJECT, '').replace(/^.*\/node_modules\//, '')
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}
const PROJECT = new URL('../../', import.meta.url).href
