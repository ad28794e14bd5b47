import { computed, type Signal, signal } from '@preact/signals'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import type { Preview, TemplateList } from '../../../src/api/templates.ts'
import { get, post } from '../../api/client.ts'
import { messageOf } from '../../api/resource.ts'
import type { Position } from '../../ui/editor.tsx'

/** Result of rendering; `preview` is the last one without an error. */
interface PreviewState {
  readonly preview: Preview | undefined
  /** The error; '' when there is none. */
  readonly message: string
  readonly position: Position | undefined
}

const TYPING_MS = 200
const NOTHING: PreviewState = { preview: undefined, message: '', position: undefined }

/** One template with one payload; the service renders every change as it would be sent. */
export class Playground {
  readonly channel: Signal<string>
  /** `sample:NAME`, `incident:ID`, or `own`. */
  readonly subject: Signal<string>
  readonly text: Signal<string>
  /** JSON. */
  readonly payload: Signal<string>
  readonly outcome: Signal<PreviewState> = signal<PreviewState>(NOTHING)
  readonly template
  readonly #templates: TemplateList
  #timer: ReturnType<typeof setTimeout> | undefined
  #requested = 0

  constructor(templates: TemplateList, query: URLSearchParams) {
    const first = templates.templates[0]
    const sample = templates.samples[0]
    this.#templates = templates
    this.channel = signal(query.get('channel') ?? first?.channel ?? '')
    this.subject = signal(`sample:${sample?.name ?? ''}`)
    this.payload = signal(written(sample?.payload ?? {}))
    this.template = computed(() => this.#edited())
    this.text = signal(this.template.peek()?.text ?? '')
    const incident = query.get('incident')
    if (incident !== null) void this.chooseSubject(`incident:${incident}`)
    else this.#soon(0)
  }

  chooseChannel(channel: string): void {
    this.channel.value = channel
    this.reset()
  }

  async chooseSubject(subject: string): Promise<void> {
    this.subject.value = subject
    const [kind, name = ''] = subject.split(/:(.*)/s)
    if (kind === 'sample')
      this.payload.value = written(this.#templates.samples.find((each) => each.name === name)?.payload)
    if (kind === 'incident') {
      const incident = await get<IncidentDetail>(`/api/admin/incidents/${name}`).catch(() => undefined)
      if (this.subject.peek() === subject && incident !== undefined) this.payload.value = written(incident.content)
    }
    this.#soon(0)
  }

  edit(text: string): void {
    this.text.value = text
    this.#soon(TYPING_MS)
  }

  editPayload(text: string): void {
    this.subject.value = 'own'
    this.payload.value = text
    this.#soon(TYPING_MS)
  }

  reset(): void {
    this.text.value = this.template.peek()?.text ?? ''
    this.#soon(0)
  }

  #edited() {
    return (
      this.#templates.templates.find(({ channel }) => channel === this.channel.value) ?? this.#templates.templates[0]
    )
  }

  #soon(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#render(), ms)
  }

  /** Renders once. Answers may overtake each other: only the one to the latest request is used. */
  async #render(): Promise<void> {
    const asked = ++this.#requested
    const rendering = await this.#rendering()
    if (asked === this.#requested) this.outcome.value = rendering
  }

  async #rendering(): Promise<PreviewState> {
    const { preview } = this.outcome.peek()
    const what = this.#requestBody()
    if ('message' in what) return { preview, message: what.message, position: undefined }
    try {
      const body = { channel: this.channel.peek(), template: this.text.peek(), ...what }
      const rendered = await post<Preview>('/api/admin/render', body)
      return { preview: rendered, message: '', position: positionIn(rendered.warnings.join('\n')) }
    } catch (error) {
      const { message } = messageOf(error)
      return { preview, message, position: positionIn(message) }
    }
  }

  #requestBody(): { payload: unknown } | { incident_id: string } | { message: string } {
    const subject = this.subject.peek()
    if (subject.startsWith('incident:')) return { incident_id: subject.slice('incident:'.length) }
    try {
      return { payload: JSON.parse(this.payload.peek()) }
    } catch (error) {
      return { message: `The payload is not JSON: ${error instanceof Error ? error.message : error}` }
    }
  }
}

const written = (payload: unknown) => JSON.stringify(payload ?? {}, undefined, 2)

/** Finds the position in an error text, where it is written as `file:line:column:`. */
function positionIn(text: string): Position | undefined {
  const [, line, column] = /:(\d+):(\d+): /.exec(text) ?? []
  return line === undefined ? undefined : { line: Number(line), column: Number(column) }
}
