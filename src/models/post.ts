import { z } from 'zod'
import { modelFetch } from './egress.ts'
import { failureOf } from './failure.ts'
import { ModelFailure } from './model.ts'

interface PostOptions<T> {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly apiKey: string
  readonly allowPrivate: boolean
  /** Schema of the fields that are read. */
  readonly answer: z.ZodType<T>
}

const MAX_SHOWN = 300

/** Returns a function that posts JSON and returns the checked answer; it rejects with `ModelFailure` only. */
export function poster<T>({ url, headers, apiKey, allowPrivate, answer }: PostOptions<T>) {
  const send = modelFetch({ allowPrivate })
  return async (body: object, signal: AbortSignal): Promise<T> => {
    try {
      const response = await send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal,
      })
      const text = await response.text()
      if (!response.ok)
        throw new ModelFailure('failed', `${response.status} ${errorIn(text)}`.replaceAll(apiKey || '\0', '***'))
      const parsed = answer.safeParse(JSON.parse(text))
      if (parsed.success) return parsed.data
      throw new Error('the answer has not the form that this provider answers with')
    } catch (error) {
      throw failureOf(error, { apiKey, signal })
    }
  }
}

const Fault = z.union([
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
])

function errorIn(text: string): string {
  try {
    return Fault.parse(JSON.parse(text)).slice(0, MAX_SHOWN)
  } catch {
    return text.slice(0, MAX_SHOWN)
  }
}
