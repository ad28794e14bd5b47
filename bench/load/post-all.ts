import { Agent, request } from 'undici'

const BATCH = 50
const CONNECTIONS = 8

/** Posts so many incidents as fast as they are taken, in arrays, as log forwarders do. A refusal is tried again. */
export async function postAll(port: number, count: number, payloadOf: (n: number) => object): Promise<void> {
  const post = poster(port)
  let left = count
  const worker = async () => {
    while (left > 0) {
      const size = Math.min(BATCH, left)
      left -= size
      const first = left
      const body = JSON.stringify(Array.from({ length: size }, (_, n) => payloadOf(first + n)))
      while (!(await post(body)));
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  await post.close()
}

function poster(port: number): ((body: string) => Promise<boolean>) & { close(): Promise<void> } {
  const dispatcher = new Agent()
  const url = `http://127.0.0.1:${port}/api/incidents`
  const headers = { 'content-type': 'application/json' }
  const post = async (body: string) => {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher })
    await answer.body.dump()
    return answer.statusCode === 201
  }
  return Object.assign(post, { close: () => dispatcher.close() })
}
