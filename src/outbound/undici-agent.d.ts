/** Types of a file of undici that its package types only as a whole. */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent as UndiciAgent } from 'undici'
  export default class Agent extends UndiciAgent {}
}
