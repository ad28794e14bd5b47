import { secret, signOut } from './session.ts'

/** An answer other than 2xx, or none (`status` 0). The message is shown to the user. */
export class ApiError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const ANSWER_MS = 15_000

export const get = <T>(path: string) => ask<T>('GET', path)
export const post = <T>(path: string, body?: unknown, answerMs?: number) => ask<T>('POST', path, { body, answerMs })
export const patch = <T>(path: string, body: unknown) => ask<T>('PATCH', path, { body })
export const remove = <T>(path: string) => ask<T>('DELETE', path)

/** Sends a request with the secret of the session. A 401 ends the session. Rejects with an ApiError. */
async function ask<T>(method: string, path: string, sent: Omit<Sent, 'given'> = {}): Promise<T> {
  const given = secret()
  try {
    return await request<T>(method, path, { ...sent, given })
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && secret() === given)
      signOut('The secret is not valid any more. Sign in with the new one.')
    throw error
  }
}

/** Resolves when the service accepts the secret. Rejects with an ApiError. */
export async function trySecret(given: string): Promise<void> {
  await request('GET', '/api/admin/incidents?limit=1', { given })
}

interface Sent {
  readonly given: string
  readonly body?: unknown
  /** Deadline of the answer. */
  readonly answerMs?: number | undefined
}

async function request<T>(method: string, path: string, { given, body, answerMs = ANSWER_MS }: Sent): Promise<T> {
  const headers = { 'X-Gateway-Secret': given, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
  const answer = await fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    cache: 'no-store',
    signal: AbortSignal.timeout(answerMs),
  }).catch(() => {
    throw new ApiError(0, 'The service does not answer. Is it running, and can this browser reach it?')
  })
  if (!answer.ok) throw new ApiError(answer.status, await errorIn(answer))
  return (await answer.json()) as T
}

async function errorIn(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {}
  return `${answer.status} ${answer.statusText}`
}
