import { type Signal, signal } from '@preact/signals'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import type { TemplateList } from '../../../src/api/templates.ts'
import { post } from '../../api/client.ts'
import { parsedPayload, Question, writtenPayload } from '../../api/question.ts'

const TYPING_MS = 250

/** One payload; the service explains every change of it. */
export class RouteTrial {
  /** Name of a sample; '' for a payload of the reader. */
  readonly sample: Signal<string>
  /** JSON. */
  readonly payload: Signal<string>
  /** Local time as a field gives it, without a zone; '' for now. */
  readonly at: Signal<string> = signal('')
  readonly question: Question<Explanation> = new Question(() => this.#explain())
  readonly #samples: TemplateList['samples']

  constructor(samples: TemplateList['samples']) {
    const [first] = samples
    this.#samples = samples
    this.sample = signal(first?.name ?? '')
    this.payload = signal(writtenPayload(first?.payload))
    this.question.soon(0)
  }

  choose(name: string): void {
    this.sample.value = name
    const sample = this.#samples.find((each) => each.name === name)
    if (sample !== undefined) this.payload.value = writtenPayload(sample.payload)
    this.question.soon(0)
  }

  edit(text: string): void {
    this.sample.value = ''
    this.payload.value = text
    this.question.soon(TYPING_MS)
  }

  moveTo(at: string): void {
    this.at.value = at
    this.question.soon(TYPING_MS)
  }

  async #explain(): Promise<Explanation> {
    const payload = parsedPayload(this.payload.peek())
    const at = this.at.peek()
    return post<Explanation>('/api/admin/explain', { payload, ...(at !== '' && { at: new Date(at).toISOString() }) })
  }
}
