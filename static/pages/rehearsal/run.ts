import { type Signal, signal } from '@preact/signals'
import type { EffectiveConfig } from '../../../src/api/config.ts'
import type { Rehearsal } from '../../../src/api/noise/rehearsal.ts'
import { get, post } from '../../api/client.ts'
import { messageOf } from '../../api/resource.ts'
import { asYaml } from './yaml.ts'

const POLL_MS = 500
/** The sections that are rehearsed. */
const SECTIONS = ['routes', 'schedules', 'silences', 'noise'] as const

/** Returns the sections that the configuration sets as YAML, without values that say nothing; a comment when it sets none. */
export function sectionsOf({ config, origins }: EffectiveConfig): string {
  const isSet = (name: string) =>
    Object.entries(origins).some(([path, origin]) => path.split('.')[0] === name && origin !== 'default')
  const sections = SECTIONS.filter(isSet).map((name) => [name, telling(config[name])] as const)
  const present = sections.filter(([, section]) => !isEmpty(section))
  return present.length === 0 ? EXAMPLE : asYaml(Object.fromEntries(present))
}

/** Leaves out empty values, which mean the default. */
function telling(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(telling)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, telling(each)] as const)
      .filter(([key, each]) => !isEmpty(each) && !(key === 'continue' && each === false)),
  )
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)

const EXAMPLE = `# No routes, schedules or silences are configured. An example:
#
# routes:
#   - name: payments
#     match: { service: pay*, min_severity: high }
#     to: [chatws]
#   - name: chatter
#     match: { severity: debug }
#     to: none
`

/** A text of the editor and the rehearsal of it. */
export class RehearsalRunner {
  readonly text: Signal<string>
  readonly hours: Signal<number> = signal(24)
  /** The last rehearsal; undefined before the first. */
  readonly rehearsal: Signal<Rehearsal | undefined> = signal<Rehearsal | undefined>(undefined)
  /** The text of which `rehearsal` is. */
  readonly rehearsed: Signal<string> = signal('')
  /** Lines of the error; empty when there is none. */
  readonly errors: Signal<readonly string[]> = signal<readonly string[]>([])
  readonly busy: Signal<boolean> = signal(false)
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(text: string) {
    this.text = signal(text)
  }

  async start(): Promise<void> {
    if (this.busy.peek()) return
    this.busy.value = true
    this.errors.value = []
    const text = this.text.peek()
    await this.#follow(() => post<Rehearsal>('/api/admin/rehearsals', { config: text, hours: this.hours.peek() }), text)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Asks again until the rehearsal has ended. */
  async #follow(ask: () => Promise<Rehearsal>, text: string): Promise<void> {
    try {
      const rehearsal = await ask()
      if (this.#closed) return
      this.rehearsal.value = rehearsal
      this.rehearsed.value = text
      if (rehearsal.state === 'running') {
        const again = () => get<Rehearsal>(`/api/admin/rehearsals/${encodeURIComponent(rehearsal.id)}`)
        this.#timer = setTimeout(() => void this.#follow(again, text), POLL_MS)
        return
      }
      if (rehearsal.error !== null) this.errors.value = [rehearsal.error]
    } catch (error) {
      this.errors.value = messageOf(error).message.split('\n')
    }
    this.busy.value = false
  }
}

/** Returns the number of the line that an error names; undefined when it names none. */
export function lineOf(error: string): number | undefined {
  const found = /(?:\bline |:)(\d+)\b/.exec(error)?.[1]
  return found === undefined ? undefined : Number(found)
}
