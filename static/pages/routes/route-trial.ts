import { type Signal, signal } from '@preact/signals'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import type { TemplateList } from '../../../src/api/templates.ts'
import { post } from '../../api/client.ts'
import { messageOf } from '../../api/resource.ts'

interface Outcome {
  /** The last explanation without an error. */
  readonly explanation: Explanation | undefined
  /** The error; '' when there is none. */
  readonly message: string
}

const TYPING_MS = 250

/** One payload; the service explains every change of it. */
export class RouteTrial {
  /** Name of a sample; '' for a payload of the reader. */
  readonly sample: Signal<string>
  /** JSON. */
  readonly payload: Signal<string>
  /** Local time as a field gives it, without a zone; '' for now. */
  readonly at: Signal<string> = signal('')
  readonly outcome: Signal<Outcome> = signal<Outcome>({ explanation: undefined, message: '' })
  readonly #samples: TemplateList['samples']
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0

  constructor(samples: TemplateList['samples']) {
    const [first] = samples
    this.#samples = samples
    this.sample = signal(first?.name ?? '')
    this.payload = signal(written(first?.payload ?? {}))
    this.#soon(0)
  }

  choose(name: string): void {
    this.sample.value = name
    const sample = this.#samples.find((each) => each.name === name)
    if (sample !== undefined) this.payload.value = written(sample.payload)
    this.#soon(0)
  }

  edit(text: string): void {
    this.sample.value = ''
    this.payload.value = text
    this.#soon(TYPING_MS)
  }

  moveTo(at: string): void {
    this.at.value = at
    this.#soon(TYPING_MS)
  }

  #soon(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#explain(), ms)
  }

  /** Answers may overtake each other: only the one to the latest request is used. */
  async #explain(): Promise<void> {
    const asked = ++this.#asked
    const { explanation } = this.outcome.peek()
    const next = await this.#explained().catch((error) => ({ explanation, message: messageOf(error).message }))
    if (asked === this.#asked) this.outcome.value = next
  }

  async #explained(): Promise<Outcome> {
    let payload: unknown
    try {
      payload = JSON.parse(this.payload.peek())
    } catch (error) {
      const message = `The payload is not JSON: ${error instanceof Error ? error.message : error}`
      return { explanation: this.outcome.peek().explanation, message }
    }
    const at = this.at.peek()
    const moment = at === '' ? {} : { at: new Date(at).toISOString() }
    return { explanation: await post<Explanation>('/api/admin/explain', { payload, ...moment }), message: '' }
  }
}

const written = (payload: unknown) => JSON.stringify(payload, undefined, 2)
