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

/** Returns the JSON of an operator's route. Throws on any status but 2xx, with the answer in the message. */
export async function admin(url: string, path: string, method: 'GET' | 'POST' = 'GET'): Promise<unknown> {
  const answer = await fetch(url + path, { method, headers: { 'X-Gateway-Secret': SECRET } })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
