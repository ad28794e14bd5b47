/** As V8 writes it to a `.cpuprofile`. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** Ids of nodes. */
  readonly samples: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[]
}
interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/** A function in a stack, and what was called from there. Shape and names are those of d3-flame-graph. */
export interface Frame {
  readonly name: string
  /** Milliseconds, with those of its children. */
  value: number
  readonly children: Frame[]
}

const COLLECTOR = '(garbage collector)'
/** Where piscina's threads wait for work: their event loop never knows of it. */
const WAITS_OUTSIDE = 'atomicsWaitLoop'
const IDLE = new Set(['(idle)', WAITS_OUTSIDE])

/** The time of one or several profiles of a thread, idle time apart, stack by stack. */
export function framesOf(profiles: readonly CpuProfile[]): Frame {
  const root: Frame = { name: 'all', value: 0, children: [] }
  for (const profile of profiles) addTo(root, profile)
  for (const child of root.children) sum(child)
  root.value = root.children.reduce((total, { value }) => total + value, 0)
  return root
}

/** Frames smaller than a share of all are left out: nobody could see them. */
export function withoutDust({ name, value, children }: Frame, least: number): Frame {
  const kept = children.filter((child) => child.value >= least)
  return { name, value, children: kept.map((child) => withoutDust(child, least)) }
}

/** Milliseconds of each function by itself, most first. */
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

/** Milliseconds that the thread stood still for the garbage collector. */
export const collectorMs = (root: Frame) => selfTimes(root).find(({ name }) => name === COLLECTOR)?.ms ?? 0

/** The thread waits where its event loop cannot see it, so that the loop seems to be busy all the time. */
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

/** From what each frame has by itself to what it has with its children. */
function sum(frame: Frame): number {
  for (const child of frame.children) frame.value += sum(child)
  return frame.value
}

/** `commit src/store/commit.ts:42`, from the folder of the project on. */
function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const file = url.replace(PROJECT, '').replace(/^.*\/node_modules\//, '')
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}
const PROJECT = new URL('../../', import.meta.url).href
