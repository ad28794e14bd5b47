import type { Outcome } from '../domain/delivery.ts'
import { scrub } from '../text/scrub.ts'
import { type HttpAnswer, outcomeOfFailure, PostFailure, type ReadContext } from './outcome.ts'

/** One JSON POST: no redirects followed, answer bodies bounded (64 KiB). Rejects only with `PostFailure`. */
export type Post = (request: PostRequest) => Promise<PostAnswer>

interface PostRequest {
  readonly url: string
  readonly headers?: { readonly [name: string]: string }
  /** A text is JSON already, and sent as it is. */
  readonly json: unknown
  readonly signal: AbortSignal
  /** Called when a connection was made for the request and stands, TLS included; not when it found one that was kept alive. */
  readonly onConnected?: (() => void) | undefined
}
export type PostAnswer = HttpAnswer

/** A line to a provider. */
export interface ProviderClient {
  readonly post: Post
  /** What no outcome may repeat. */
  readonly secrets: readonly string[]
  /** Epoch milliseconds. */
  now(): number
}

/** One request and what its answer means; `read` is the provider's own way of reading. */
export async function postJson<Read>(
  { post, secrets, now }: ProviderClient,
  request: PostRequest,
  read: (answer: PostAnswer, context: ReadContext) => Read,
): Promise<Read | Outcome> {
  try {
    return read(await post(request), { secrets, now: now() })
  } catch (error) {
    if (error instanceof PostFailure) return outcomeOfFailure(error, secrets)
    throw error
  }
}

/** A message for a destination that the configuration does not know. */
export function unknownTarget(name: string): Outcome {
  return { kind: 'failed', reason: scrub(`no other destination is named "${name}"`, []) }
}

/** The destination a message names, else the main one; undefined for a name that the configuration does not know. */
export function destinationOf<T>(target: string | undefined, main: T, others: ReadonlyMap<string, T>): T | undefined {
  return target === undefined ? main : others.get(target)
}

/** Key of the limiter and the circuit: a name, never an address. */
export function destinationKey(target: string | undefined, others: ReadonlyMap<string, unknown>): string {
  return target !== undefined && others.has(target) ? target : 'default'
}
