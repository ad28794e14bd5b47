import type { Outcome, Retry } from '../domain/delivery.ts'
import { outcomeOfFailure, PostFailure, type Reading } from '../domain/outcome.ts'
import { scrub } from '../domain/scrub.ts'
import type { Post, PostAnswer, PostRequest } from './channel.ts'

/** A channel's line to its provider. */
export interface Line {
  readonly post: Post
  /** What no outcome may repeat. */
  readonly secrets: readonly string[]
  now(): number
}

/** One request and what its answer means; `read` is a kind's own way of reading. */
export async function ask<Read>(
  { post, secrets, now }: Line,
  request: PostRequest,
  read: (answer: PostAnswer, reading: Reading) => Read,
): Promise<Read | Outcome> {
  try {
    return read(await post(request), { secrets, now: now() })
  } catch (error) {
    if (error instanceof PostFailure) return outcomeOfFailure(error, secrets)
    throw error
  }
}

/** A success by its status; half of the providers say no in its body. */
export function accepted({ status }: PostAnswer): boolean {
  return status >= 200 && status < 300
}

/** The answer's JSON object; undefined when it is anything else. */
export function jsonObject(body: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** A success status with a body that is not the provider's (a proxy's page, a cut answer): nobody knows whether it was taken. */
export function unreadable({ status, body }: PostAnswer, { secrets }: Reading): Retry {
  const reason = scrub(`HTTP ${status} with an answer that cannot be read: ${body}`, secrets)
  return { kind: 'retry', reason, mayDuplicate: true }
}

/** A message for a destination that the configuration does not know. */
export function unknownTarget(name: string): Outcome {
  return { kind: 'failed', reason: scrub(`no other destination is named "${name}"`, []) }
}

/** The destination a message names, else the main one; undefined for a name that the configuration does not know. */
export function pick<T>(target: string | undefined, main: T, others: ReadonlyMap<string, T>): T | undefined {
  return target === undefined ? main : others.get(target)
}

/** Key of the limiter and the circuit: a name, never an address. */
export function destinationKey(target: string | undefined, others: ReadonlyMap<string, unknown>): string {
  return target !== undefined && others.has(target) ? target : 'default'
}
