import { type Signal, signal } from '@preact/signals'
import { ApiError } from './client.ts'
import { messageOf } from './resource.ts'

/** The last answer without an error, and the error of the last question; '' when there is none. */
export interface Outcome<Answer> {
  readonly answer: Answer | undefined
  readonly message: string
}

/** Answer of the service about a draft. The question is sent when nothing was typed for a moment. */
export class Question<Answer> {
  readonly outcome: Signal<Outcome<Answer>> = signal<Outcome<Answer>>({ answer: undefined, message: '' })
  readonly #ask: () => Promise<Answer | undefined>
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0

  /** @param ask resolves with undefined when there is nothing to ask yet */
  constructor(ask: () => Promise<Answer | undefined>) {
    this.#ask = ask
  }

  /** Asks after `ms`, unless this is called again before. */
  soon(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#now(), ms)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#asked++
  }

  /** Answers may overtake each other: only the one to the latest question is used. */
  async #now(): Promise<void> {
    const asked = ++this.#asked
    const outcome = await this.#ask().then(
      (answer) => ({ answer, message: '' }),
      (error) => ({ answer: this.outcome.peek().answer, message: messageOf(error).message }),
    )
    if (asked === this.#asked) this.outcome.value = outcome
  }
}

export const writtenPayload = (payload: unknown) => JSON.stringify(payload ?? {}, undefined, 2)

/** Throws an ApiError when the text is not JSON. */
export function parsedPayload(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError(0, `The payload is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
