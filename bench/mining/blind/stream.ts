import { createDraw, type Draw, type Event, linesOf, type System, templateOf } from './event.ts'
import { type NovelCounts, type Novelty, noveltiesOf } from './novelty.ts'
import { Random } from './random.ts'
import { systems } from './systems/index.ts'

/** Settings of a stream. */
export interface Scenario {
  readonly name: string
  readonly systems: readonly System[]
  readonly content?: boolean
  /** Counts of a tick vary more than Poisson's, with a slow wave and events that come in batches. */
  readonly uneven?: boolean
  /** Novelties in each system. */
  readonly novel: NovelCounts
  readonly bursts: number
  /** Events in a tick. */
  readonly rate: number
}

/** A row as the scorer reads it. The agent may read `t_ms`, `source` and `line`. */
interface StreamRow {
  readonly t_ms: number
  readonly seq: number
  readonly source: string
  readonly line: string
  readonly label: string
  readonly ev: string
}

/** A novelty or a burst that an agent should find. Ticks count from the start of detection. */
interface Item {
  readonly id: string
  readonly type: 'novel' | 'spike'
  readonly difficulty: string
  readonly system: string
  /** With its system in front when it is foreign. */
  readonly event: string
  readonly template: string
  readonly factor?: number
  readonly start_ms: number
  readonly end_ms: number
  readonly start_tick: number
  readonly end_tick: number
}

interface Stream {
  readonly train: readonly StreamRow[]
  readonly detect: readonly StreamRow[]
  readonly truth: { readonly tick_ms: number; readonly detect_start_ms: number; readonly items: readonly Item[] }
}

interface Normal {
  readonly system: System
  readonly event: Event
  readonly mean: number
  /** The events of a batch and the tick of twenty in which it comes. */
  batch?: { readonly size: number; readonly phase: number }
}

interface Planned {
  readonly id: string
  readonly system: System
  readonly firstTick: number
  readonly ticks: number
  readonly mean: number
  readonly of: (Novelty & { type: 'novel' }) | { type: 'spike'; event: Event; difficulty: string; factor: number }
}

const TICK_MS = 30_000
const TRAINING_TICKS = 240
const DETECTION_TICKS = 200
const LEAST_IN_TRAINING = 3
const STARTS_AT = Date.UTC(2026, 2, 31, 21, 10)
const FACTORS = [5, 10, 30] as const
/** Means of the events that burst, by factor; where none is left, any above the least mean. */
const BURSTING: Record<number, readonly [least: number, most: number]> = { 5: [2, 14], 10: [0.8, 8], 30: [0.3, 4] }
const LEAST_BURSTING = 0.3

/** Makes a stream: training on normal events only, then detection with novelties, bursts and names that are new. */
export function streamOf(scenario: Scenario, seed: number): Stream {
  const random = new Random(seed)
  const draws = new Map(scenario.systems.map((system) => [system, createDraw(random)]))
  const perSystem = scenario.systems.map((system) => ({
    system,
    novelties: noveltiesOf(system, systems, scenario.novel, random),
  }))
  const normals = perSystem.flatMap(({ system, novelties }) => normalsOf(system, novelties, scenario))
  if (scenario.uneven) for (const normal of batched(normals, random)) normal.batch = batchOf(random)
  const planned = [...burstsOf(normals, scenario.bursts, random), ...perSystem.flatMap(plannedOf(random))]
  const rows = new RowWriter(draws, scenario.content ?? false)

  const counts = Array.from({ length: TRAINING_TICKS }, (_, tick) =>
    normals.map((normal) => countOf(normal, tick, scenario, random)),
  )
  for (const [at] of normals.entries())
    for (let seen = counts.reduce((sum, tick) => sum + (tick[at] ?? 0), 0); seen < LEAST_IN_TRAINING; seen++) {
      const tick = random.pick(counts)
      tick[at] = (tick[at] ?? 0) + 1
    }
  for (const [tick, count] of counts.entries())
    for (const [at, normal] of normals.entries()) rows.add(normal.system, normal.event, tick, count[at] ?? 0)
  const train = rows.take()

  for (const draw of draws.values()) draw.later = true
  for (let tick = TRAINING_TICKS; tick < TRAINING_TICKS + DETECTION_TICKS; tick++) {
    for (const normal of normals) rows.add(normal.system, normal.event, tick, countOf(normal, tick, scenario, random))
    for (const item of planned) addItem(rows, item, tick, random)
  }
  const detect = rows.take()
  return { train, detect, truth: truthOf(planned, detect) }
}

function normalsOf(system: System, novelties: readonly Novelty[], { systems, rate }: Scenario): Normal[] {
  const held = new Set(novelties.filter(({ difficulty }) => difficulty !== 'foreign').map(({ event }) => event))
  const events = system.events.filter((event) => !held.has(event))
  const share = (event: Event) => event.weight ** 0.7
  const total = events.reduce((sum, event) => sum + share(event), 0)
  const least = (LEAST_IN_TRAINING + 1) / TRAINING_TICKS
  return events.map((event) => ({
    system,
    event,
    mean: Math.max(((rate / systems.length) * share(event)) / total, least),
  }))
}

const batched = (normals: readonly Normal[], random: Random) =>
  random.shuffled(normals.filter(({ mean }) => mean > 0.2 && mean < 3)).slice(0, 2)

const batchOf = (random: Random) => ({ size: random.integer(8, 15), phase: random.integer(0, 19) })

function countOf({ mean, batch }: Normal, tick: number, { uneven }: Scenario, random: Random): number {
  if (batch) {
    if (tick % 20 === batch.phase) return batch.size + random.integer(-2, 2)
    return random.chance(0.05) ? 1 : 0
  }
  return random.poisson(uneven ? mean * waveAt(tick) * spread(random) : mean)
}

const waveAt = (tick: number) => 1 + 0.35 * Math.sin((2 * Math.PI * tick) / 160)

/** Gamma distributed with mean 1 and variance 1/6: counts are negative binomial. */
const spread = (random: Random) =>
  -Array.from({ length: 6 }, () => Math.log(1 - random.fraction())).reduce((sum, term) => sum + term) / 6

/** Bursts of different events, one after the other. */
function burstsOf(normals: readonly Normal[], wanted: number, random: Random): Planned[] {
  const ids = normals.flatMap(({ event }) => [event.id, ...event.chain.map(({ id }) => id)])
  const single = normals.filter(
    ({ event, batch }) => !batch && event.chain.length === 0 && ids.indexOf(event.id) === ids.lastIndexOf(event.id),
  )
  const used = new Set<Normal>()
  return Array.from({ length: wanted }, (_, at) => {
    const factor = FACTORS[at % FACTORS.length] ?? 5
    const [least = 0, most = 0] = BURSTING[factor] ?? []
    const unused = single.filter((normal) => !used.has(normal) && normal.mean >= LEAST_BURSTING)
    const usual = unused.filter(({ mean }) => mean >= least && mean <= most)
    const fitting = usual.length > 0 ? usual : unused
    if (fitting.length === 0) return []
    const normal = random.pick(fitting)
    used.add(normal)
    const slot = Math.floor((DETECTION_TICKS - 50) / wanted)
    return {
      id: `s${at + 1}`,
      system: normal.system,
      firstTick: TRAINING_TICKS + 40 + at * slot + random.integer(0, Math.max(0, slot - 13)),
      ticks: random.integer(4, 8),
      mean: (factor - 1) * normal.mean,
      of: { type: 'spike' as const, event: normal.event, difficulty: `x${factor}`, factor },
    }
  }).flat()
}

const plannedOf =
  (random: Random) =>
  ({ system, novelties }: { system: System; novelties: readonly Novelty[] }): Planned[] =>
    novelties.map((novelty, at) => ({
      id: `n${at + 1}-${system.name.toLowerCase()}`,
      system,
      firstTick: TRAINING_TICKS + random.integer(5, DETECTION_TICKS - 26),
      ticks: random.pick([1, 1, 3, 6, 12]),
      mean: random.pick([1, 1, 2, 4]),
      of: { ...novelty, type: 'novel' as const },
    }))

function addItem(rows: RowWriter, { id, system, firstTick, ticks, mean, of }: Planned, tick: number, random: Random) {
  if (tick < firstTick || tick >= firstTick + ticks) return
  const label = `${of.type}:${id}`
  const drawn = random.poisson(mean)
  if (of.type === 'spike') rows.add(system, of.event, tick, drawn, label)
  else rows.add(system, of.event, tick, Math.max(1, drawn), label, of.from)
}

class RowWriter {
  readonly #draws: ReadonlyMap<System, Draw>
  readonly #contentOnly: boolean
  #rows: StreamRow[] = []
  #seq = 0

  constructor(draws: ReadonlyMap<System, Draw>, contentOnly: boolean) {
    this.#draws = draws
    this.#contentOnly = contentOnly
  }

  /** Adds events of a tick. Those of another system, `from`, get a header of this one. */
  add(system: System, event: Event, tick: number, count: number, label = 'normal', from = system): void {
    const draw = this.#draws.get(system)
    if (!draw) throw new Error(`${system.name} is not part of the stream`)
    for (let nth = 0; nth < count; nth++) {
      const t_ms = STARTS_AT + tick * TICK_MS + draw.random.integer(0, TICK_MS - 1)
      draw.atMs = t_ms
      for (const { event: id, header, content } of linesOf(from, event, draw)) {
        if (from !== system) draw.scene.clear()
        const start = from === system ? header : system.header(draw.random.pick(system.events), draw)
        const line = this.#contentOnly ? content : start + content
        this.#rows.push({ t_ms, seq: 0, source: system.name.toLowerCase(), line, label, ev: `${from.name}:${id}` })
      }
    }
  }

  /** Returns what was added, in order of time, and forgets it. */
  take(): StreamRow[] {
    const rows = this.#rows.sort((a, b) => a.t_ms - b.t_ms).map((row) => ({ ...row, seq: ++this.#seq }))
    this.#rows = []
    return rows
  }
}

function truthOf(planned: readonly Planned[], detect: readonly StreamRow[]): Stream['truth'] {
  const startsAt = STARTS_AT + TRAINING_TICKS * TICK_MS
  const items = planned.flatMap(({ id, system, of }): Item[] => {
    const times = detect.filter(({ label }) => label === `${of.type}:${id}`).map(({ t_ms }) => t_ms)
    const [start_ms, end_ms] = [times.at(0), times.at(-1)]
    if (start_ms === undefined || end_ms === undefined) return []
    const template = of.type === 'novel' ? of.template : templateOf(of.event.text)
    const own = of.type === 'novel' ? of.id : of.event.id
    const event = of.type === 'novel' && of.from !== system ? `${of.from.name}:${own}` : own
    return [
      {
        ...{ id, type: of.type, difficulty: of.difficulty, system: system.name, event, template, start_ms, end_ms },
        ...(of.type === 'spike' ? { factor: of.factor } : {}),
        start_tick: Math.floor((start_ms - startsAt) / TICK_MS),
        end_tick: Math.floor((end_ms - startsAt) / TICK_MS),
      },
    ]
  })
  return { tick_ms: TICK_MS, detect_start_ms: startsAt, items }
}
