import { idOfTarget, type Outcome } from '../domain/delivery/delivery.ts'
import { scrub } from '../text/scrub.ts'
import { outcomeOfFailure, type PostAnswer, PostFailure, type ReadContext } from './response-outcome.ts'

/** Sends one JSON request. Follows no redirect, cuts the answer's body at 64 KiB. Rejects with `PostFailure` only. */
export type Post = (request: PostRequest) => Promise<PostAnswer>

export interface PostRequest {
  /** Default: POST. */
  readonly method?: 'GET' | 'PATCH'
  readonly url: string
  readonly headers?: { readonly [name: string]: string }
  /** A string is sent as it is: it is JSON already. Null: no body. */
  readonly json: unknown
  readonly signal: AbortSignal
  /** Called when a connection was made for the request, TLS included; not when a kept one is used. */
  readonly onConnected?: (() => void) | undefined
}

/** Posts to one provider. */
export interface ProviderClient {
  readonly post: Post
  /** Removed from outcomes. */
  readonly secrets: readonly string[]
  /** Epoch milliseconds. */
  now(): number
}

/** Posts `request` and returns what `read` makes of the answer; a `PostFailure` becomes an outcome. */
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

/** Returns the outcome of a message for a destination that is not configured. */
export function unknownTarget(name: string): Outcome {
  return { kind: 'failed', reason: scrub(`no other destination is named "${name}"`, []) }
}

/** Returns the named destination, without a name the default one; undefined for a name that is not configured. */
export function destinationOf<T>(target: string | undefined, main: T, others: ReadonlyMap<string, T>): T | undefined {
  return target === undefined ? main : others.get(target)
}

/** The chats of a channel. */
interface Chats {
  readonly channelId: string
  readonly others: ReadonlyMap<string, string>
  /** A target may be an id. */
  readonly acceptIds: boolean
}

/** Returns the id of the chat that a target means; undefined for a name or id that the configuration does not allow. */
export function chatOf(target: string | undefined, { channelId, others, acceptIds }: Chats): string | undefined {
  const id = target === undefined || !acceptIds ? undefined : idOfTarget(target)
  return id ?? destinationOf(target, channelId, others)
}

/** Returns the key of the destination's token bucket and circuit. It is a name, or the id of a chat, which is no secret. */
export function destinationKey(target: string | undefined, others: ReadonlyMap<string, unknown>): string {
  return target !== undefined && (others.has(target) || idOfTarget(target) !== undefined) ? target : 'default'
}
