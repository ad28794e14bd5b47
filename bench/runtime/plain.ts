import { type MessagePort, parentPort } from 'node:worker_threads'
import { expose } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import type { Numbered } from './counting.ts'

/**
 * Start of a bare worker: it reads messages, posts one back at the end of each round, and answers Comlink calls on a
 * port of its own.
 */
export interface PlainStart {
  /** Messages in a round. */
  readonly round: number
  readonly comlink: MessagePort
}
export interface PlainApi {
  sum(query: Numbered): number
}

parentPort?.once('message', ({ round, comlink }: PlainStart) => {
  let read = 0
  let sum = 0
  const api: PlainApi = { sum: () => sum }
  expose(api, nodeEndpoint(comlink))
  parentPort?.on('message', ({ n }: Numbered) => {
    sum += n
    if (++read % round === 0) parentPort?.postMessage(sum)
  })
})
