/** The part of WebAssembly's JavaScript interface that is used here; Node's types leave it out. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    readonly exports: unknown
    constructor(module: Module)
  }
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
}
