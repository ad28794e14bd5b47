declare module '*.css'

/** Types of the used part of d3-flame-graph, which comes without any. */
declare module 'd3-flame-graph' {
  import type { Selection } from 'd3-selection'
  import type { Frame } from '../profile/cpu-profile.ts'

  interface Drawn {
    readonly data: Frame
    /** Share of the visible graph, 0 to 1. */
    readonly x0: number
    readonly x1: number
    readonly highlight?: boolean
  }
  interface FlameGraph {
    (selection: Selection<HTMLElement, Frame, null, undefined>): void
    width(pixels: number): FlameGraph
    cellHeight(pixels: number): FlameGraph
    minFrameSize(pixels: number): FlameGraph
    inverted(down: boolean): FlameGraph
    label(text: (frame: Drawn) => string): FlameGraph
    setColorMapper(color: (frame: Drawn) => string): FlameGraph
    search(text: string): void
    clear(): void
  }
  export default function flamegraph(): FlameGraph
}
