import type { Random } from './random.ts'

/** Inputs that values are drawn from. */
export interface Draw {
  readonly random: Random
  /** After training: names that did not exist then occur too. */
  later: boolean
  /** Time of the line, ms. */
  atMs: number
  /** Values that all places of an event share, such as its user; empty when an event begins. */
  readonly scene: Map<string, string>
  /** One of `size` values that live for some time; one in fifty draws replaces one of them. */
  live(name: string, size: number, make: () => string): string
}

export type Value = (draw: Draw) => string

/** A system that logs. Its lines are a header, which `header` makes, and a content, which an event's template makes. */
export interface System {
  readonly name: string
  header(form: Form, draw: Draw): string
  readonly values: { readonly [placeholder: string]: Value }
  readonly events: readonly Event[]
}

/** One kind of line. */
interface Form {
  /** Equal for equal templates. */
  readonly id: string
  /** Values of the header, such as the level of the line. */
  readonly cells: readonly string[]
  /** With placeholders `<name>`. */
  readonly text: string
}

/** A kind of line, and those that are written right after it. */
export interface Event extends Form {
  readonly weight: number
  /** An error that may be new after training. */
  readonly fault: boolean
  readonly chain: readonly (Form & { readonly times: readonly [least: number, most: number] })[]
}

export interface Line {
  readonly event: string
  readonly header: string
  readonly content: string
  readonly cells: readonly string[]
}

const PLACEHOLDER = /<([a-z][a-z_]*)>/g
const ROW = /^\s*(?:(!?)(\d+)|\+(?:(\d+)-(\d+))?) +([^|]*?) *\| ?(.*)$/

/**
 * Reads a table of events. A row is `weight cells | template`, with `!` before the weight of a fault; or
 * `+least-most cells | template` for lines that follow those of the row above. Throws on another row.
 */
export function eventsOf(table: string): Event[] {
  const ids = new Map<string, string>()
  const events: (Event & { chain: object[] })[] = []
  for (const row of table.split('\n').filter((row) => row.trim() !== '')) {
    const [, fault = '', weight, least = '1', most = '1', words = '', text = ''] = ROW.exec(row) ?? []
    if (text === '') throw new Error(`not a row of events: ${row}`)
    const id = ids.get(templateOf(text)) ?? `E${ids.size + 1}`
    ids.set(templateOf(text), id)
    const form = { id, cells: words.split(' '), text }
    if (weight !== undefined) events.push({ ...form, weight: Number(weight), fault: fault !== '', chain: [] })
    else events.at(-1)?.chain.push({ ...form, times: [Number(least), Number(most)] })
  }
  return events
}

export const templateOf = (text: string): string => text.replace(PLACEHOLDER, '<*>')

/** Returns the template of each event of a system, by its id. */
export function templatesOf({ events }: System): Map<string, string> {
  const forms = events.flatMap((event): Form[] => [event, ...event.chain])
  return new Map(forms.map(({ id, text }) => [id, templateOf(text)]))
}

/** Matches the contents that a template stands for; spaces count as one. */
export function patternOf(template: string): RegExp {
  const parts = template.trim().split('<*>')
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'))
  return new RegExp(`^${escaped.join('.*?')}$`)
}

/** Returns the line of an event, and those of its chain. Throws when a placeholder has no value. */
export function linesOf(system: System, event: Event, draw: Draw): Line[] {
  draw.scene.clear()
  const chain = event.chain.flatMap((form) => Array<Form>(draw.random.integer(...form.times)).fill(form))
  return [event, ...chain].map((form) => {
    const { id, cells, text } = form
    const content = text.replace(PLACEHOLDER, (_, name: string) => {
      const value = system.values[name]
      if (!value) throw new Error(`${system.name} has no values for <${name}>`)
      return value(draw)
    })
    return { event: id, header: system.header(form, draw), content, cells }
  })
}

export function createDraw(random: Random): Draw {
  const living = new Map<string, string[]>()
  return {
    random,
    later: false,
    atMs: 0,
    scene: new Map(),
    live(name, size, make) {
      const values = living.get(name) ?? []
      living.set(name, values)
      if (values.length < size) values.push(make())
      else if (random.chance(0.02)) values[random.integer(0, size - 1)] = make()
      return random.zipf(values)
    },
  }
}
