import { computed, type Signal, signal } from '@preact/signals'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import type { Preview, TemplateList } from '../../../src/api/templates.ts'
import { get, post } from '../../api/client.ts'
import { parsedPayload, Question, writtenPayload } from '../../api/question.ts'
import type { Position } from '../../ui/editor.tsx'

const TYPING_MS = 200

/** One template with one payload; the service renders every change as it would be sent. */
export class Playground {
  readonly channel: Signal<string>
  /** `sample:NAME`, `incident:ID`, or `own`. */
  readonly subject: Signal<string>
  readonly text: Signal<string>
  /** JSON. */
  readonly payload: Signal<string>
  readonly question: Question<Preview> = new Question(() => this.#render())
  readonly template
  readonly #templates: TemplateList

  constructor(templates: TemplateList, query: URLSearchParams) {
    const first = templates.templates[0]
    const sample = templates.samples[0]
    this.#templates = templates
    this.channel = signal(query.get('channel') ?? first?.channel ?? '')
    this.subject = signal(`sample:${sample?.name ?? ''}`)
    this.payload = signal(writtenPayload(sample?.payload))
    this.template = computed(() => this.#edited())
    this.text = signal(this.template.peek()?.text ?? '')
    const incident = query.get('incident')
    if (incident !== null) void this.chooseSubject(`incident:${incident}`)
    else this.question.soon(0)
  }

  chooseChannel(channel: string): void {
    this.channel.value = channel
    this.reset()
  }

  async chooseSubject(subject: string): Promise<void> {
    this.subject.value = subject
    const [kind, name = ''] = subject.split(/:(.*)/s)
    if (kind === 'sample')
      this.payload.value = writtenPayload(this.#templates.samples.find((each) => each.name === name)?.payload)
    if (kind === 'incident') {
      const incident = await get<IncidentDetail>(`/api/admin/incidents/${name}`).catch(() => undefined)
      if (this.subject.peek() === subject && incident !== undefined)
        this.payload.value = writtenPayload(incident.content)
    }
    this.question.soon(0)
  }

  edit(text: string): void {
    this.text.value = text
    this.question.soon(TYPING_MS)
  }

  editPayload(text: string): void {
    this.subject.value = 'own'
    this.payload.value = text
    this.question.soon(TYPING_MS)
  }

  reset(): void {
    this.text.value = this.template.peek()?.text ?? ''
    this.question.soon(0)
  }

  #edited() {
    return (
      this.#templates.templates.find(({ channel }) => channel === this.channel.value) ?? this.#templates.templates[0]
    )
  }

  /** The position that the error or a warning names. */
  get position(): Position | undefined {
    const { answer, message } = this.question.outcome.value
    return positionIn(message || (answer?.warnings.join('\n') ?? ''))
  }

  async #render(): Promise<Preview> {
    const subject = this.subject.peek()
    const what = subject.startsWith('incident:')
      ? { incident_id: subject.slice('incident:'.length) }
      : { payload: parsedPayload(this.payload.peek()) }
    return post<Preview>('/api/admin/render', { channel: this.channel.peek(), template: this.text.peek(), ...what })
  }
}

/** Finds the position in an error text, where it is written as `file:line:column:`. */
function positionIn(text: string): Position | undefined {
  const [, line, column] = /:(\d+):(\d+): /.exec(text) ?? []
  return line === undefined ? undefined : { line: Number(line), column: Number(column) }
}
