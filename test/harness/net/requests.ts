import http from 'node:http'

/** Gateway secret of every service that a test or a trial starts. */
export const SECRET = 'gateway-secret-of-the-tests'

/** Posts one incident, or an array of them. A string goes out as it is. */
export function post(
  url: string,
  payload: unknown,
  headers: { [name: string]: string } = {},
  query = '',
): Promise<Response> {
  return fetch(`${url}/api/incidents${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
}

/** Asks an operator's route, with a body of JSON if there is one. */
export function operate(url: string, body?: unknown, method = 'POST'): Promise<Response> {
  const headers = { 'X-Gateway-Secret': SECRET }
  if (body === undefined) return fetch(url, { method, headers })
  const typed = { ...headers, 'Content-Type': 'application/json' }
  return fetch(url, { method, headers: typed, body: JSON.stringify(body) })
}

/** Returns the JSON of an operator's route. Throws on any status but 2xx, with the answer in the message. */
export async function admin<T = unknown>(url: string, path: string, method: 'GET' | 'POST' = 'GET'): Promise<T> {
  const answer = await operate(url + path, undefined, method)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json() as Promise<T>
}

export interface Answer {
  readonly status: number
  readonly id: string
  readonly text: string
}

interface AskOptions {
  readonly method?: string
  readonly body?: string | Uint8Array
  readonly secret?: string
  readonly type?: string
  readonly headers?: http.OutgoingHttpHeaders
}

/** Asks over a connection of its own; the kernel chooses the front. */
export function ask(
  url: string,
  path: string,
  { method = 'GET', body = '', secret = SECRET, type = 'application/json', headers = {} }: AskOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = { 'Content-Type': type, 'X-Gateway-Secret': secret, ...headers }
    const req = http.request(url + path, { method, headers: sent, agent: false }, async (res) => {
      const chunks: Buffer[] = []
      for await (const chunk of res) chunks.push(chunk)
      const id = String(res.headers['x-incident-id'] ?? '')
      resolve({ status: res.statusCode ?? 0, id, text: Buffer.concat(chunks).toString() })
    })
    req.on('error', reject)
    req.end(body)
  })
}

export const CONNECTIONS = 40

/**
 * Does the same on 40 connections at once, so that each front gets some: the chance that one of two gets none is 2 in
 * 2^40.
 */
export const everywhere = (act: (nth: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: CONNECTIONS }, (_, nth) => act(nth)))
