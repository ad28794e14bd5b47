import { createDraw, type Event, type Line, linesOf, type System } from './event.ts'
import { Random } from './random.ts'

const LINES = 2_000
const STARTS_AT = Date.UTC(2026, 2, 31, 21, 10)

/** Makes 2,000 lines of a system, each event as often as its weight says. */
export function logOf(system: System, seed: number): Line[] {
  const draw = createDraw(new Random(seed))
  draw.atMs = STARTS_AT
  const lines: Line[] = []
  while (lines.length < LINES) {
    draw.atMs += draw.random.magnitude(1, 20_000)
    lines.push(...linesOf(system, weighted(system.events, draw.random), draw))
  }
  return lines.slice(0, LINES)
}

function weighted(events: readonly Event[], random: Random): Event {
  let left = random.fraction() * events.reduce((sum, { weight }) => sum + weight, 0)
  const found = events.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  return found ?? (events[0] as Event)
}
