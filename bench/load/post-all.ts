import { Agent, request } from 'undici'

const BATCH = 50
const CONNECTIONS = 8

/**
 * Posts `count` incidents as fast as they are accepted, in arrays, as log forwarders do. A refused array is posted
 * again.
 */
export async function postAll(url: string, count: number, payloadOf: (n: number) => object): Promise<void> {
  const dispatcher = new Agent()
  const headers = { 'content-type': 'application/json' }
  const post = async (body: string) => {
    const answer = await request(`${url}/api/incidents`, { method: 'POST', headers, body, dispatcher })
    await answer.body.dump()
    return answer.statusCode === 201
  }
  let left = count
  const connection = async () => {
    while (left > 0) {
      const size = Math.min(BATCH, left)
      left -= size
      const first = left
      const body = JSON.stringify(Array.from({ length: size }, (_, n) => payloadOf(first + n)))
      while (!(await post(body)));
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  await dispatcher.close()
}
