import { hashOf, WORDS } from './words.ts'

/** Openings that are compared before the caller has its turn: about a millisecond. */
export const BLOCK = 4_096

/** A bounded list of openings, by column. */
export type Block = ReturnType<typeof newBlock>

export const newBlock = () => ({
  ids: new Float64Array(BLOCK),
  /** 0: no opening, or one that was removed. */
  problems: new Float64Array(BLOCK),
  /** By `serviceOf`. */
  services: new Uint32Array(BLOCK),
  /** 24 for each opening; 0 after its last. */
  words: new Uint32Array(BLOCK * WORDS),
  used: 0,
  live: 0,
})

/** Returns a service as a number; '', which is none, as 0. */
export const serviceOf = (name: string): number => (name === '' ? 0 : hashOf(name) | 1) >>> 0

/** Appends an opening. */
export function put(block: Block, [id, problem, service]: [number, number, number], words: Uint32Array): void {
  const { used } = block
  ;[block.ids[used], block.problems[used], block.services[used]] = [id, problem, service]
  block.words.set(words.subarray(0, WORDS), used * WORDS)
  block.used++
  block.live++
}
