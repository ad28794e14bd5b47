import { HttpFailure } from './http-call.ts'
import { openHttpClient } from './http-client.ts'
import { DIRECT } from './network.ts'
import type { Post } from './provider-client.ts'
import { PostFailure } from './response-outcome.ts'

const MAX_BODY_BYTES = 64 * 1024
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'tocsin' }

/** Returns a `Post` over connections of its own; `close` waits for requests under way. */
export function createPost(network = DIRECT): Post & { close(): Promise<void> } {
  const client = openHttpClient({}, network)
  const post: Post = async ({ method, url, headers, json, signal, onConnected }) => {
    try {
      const response = await client.send({
        url,
        method: method ?? 'POST',
        headers: { ...JSON_HEADERS, ...headers },
        body: typeof json === 'string' || json === null ? json : JSON.stringify(json),
        signal,
        maxBytes: MAX_BODY_BYTES,
        whenLonger: 'cut',
        onConnected,
      })
      return { ...response, body: response.body.toString() }
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      throw new PostFailure(error.written, error.message, { cause: error.cause })
    }
  }
  return Object.assign(post, { close: () => client.close() })
}
