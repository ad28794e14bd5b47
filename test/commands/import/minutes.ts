import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { importFrom } from '../../../src/commands/import/command.ts'
import { runCommand } from '../../../src/commands/run-command.ts'
import { folder } from '../../harness/config-file.ts'

export const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE
export const WEEK = 7 * DAY
const HALF_HOUR = 30 * MINUTE
const MONDAY = Date.UTC(2026, 0, 5)

/** What clocks show at instants, by zone: `Intl` takes longest of all. */
const KNOWN = new Map<string, Map<number, number>>()

/** Returns the local time that clocks of a zone show, as UTC milliseconds of the same date and time. Zones change at half hours. */
export function shownIn(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit' },
  })
  const known = KNOWN.get(zone) ?? new Map<number, number>()
  KNOWN.set(zone, known)
  return (instant) => {
    const base = Math.floor(instant / HALF_HOUR) * HALF_HOUR
    let local = known.get(base)
    if (local === undefined) {
      local = Date.parse(`${format.format(base).replace(', ', 'T')}:00Z`)
      known.set(base, local)
    }
    return local + instant - base
  }
}

/** Returns the minutes of a span, each with the latest local time that clocks have shown until then. */
export function* minutesOf(zone: string, from: number, until: number): Generator<[instant: number, reached: number]> {
  const shown = shownIn(zone)
  let reached = Number.NEGATIVE_INFINITY
  for (let instant = from - DAY; instant < until; instant += MINUTE) {
    reached = Math.max(reached, shown(instant))
    if (instant >= from) yield [instant, reached]
  }
}

/** A part of each week, in minutes from Monday 00:00. */
export type Part = readonly [from: number, minutes: number]

/** Returns whether a local time is in one of the parts of the week; without parts it always is. */
export function inWeek(parts: readonly Part[]): (local: number) => boolean {
  const isOn = new Uint8Array(WEEK / MINUTE).fill(parts.length === 0 ? 1 : 0)
  for (const [from, minutes] of parts)
    for (let minute = from; minute < from + minutes; minute++) isOn[minute % isOn.length] = 1
  return (local) => isOn[((local - MONDAY) / MINUTE + 100 * isOn.length) % isOn.length] === 1
}

/** Who has each minute; undefined: nobody. */
export type Minutes = (string | undefined)[]

/** Returns the stretches of equal minutes that somebody has. */
export function stretches(minutes: Minutes, from: number): { from: number; until: number; who: string }[] {
  const found: { from: number; until: number; who: string }[] = []
  for (const [nth, who] of minutes.entries()) {
    const at = from + nth * MINUTE
    const last = found.at(-1)
    if (who === undefined) continue
    if (last?.who === who && last.until === at) last.until = at + MINUTE
    else found.push({ from: at, until: at + MINUTE, who })
  }
  return found
}

/** A mail server: people are reached by mail. */
export const MAIL = {
  EMAIL_ENABLE: 'true',
  EMAIL_SMTP_HOST: 'h',
  EMAIL_FROM: 'a@example.com',
  EMAIL_TO: 'a@example.com',
}

export const iso = (ms: number) => new Date(ms).toISOString()

/** Imports an export; returns the exit code, what was printed, and the new folder. */
export async function imported(t: TestContext, provider: string, given: unknown) {
  const dir = folder()
  const [file, out] = [join(dir, 'export.json'), join(dir, 'new')]
  writeFileSync(file, typeof given === 'string' ? given : JSON.stringify(given))
  const printed: string[] = []
  const log = t.mock.method(console, 'log', (line: string) => printed.push(line))
  const error = t.mock.method(console, 'error', (line: string) => printed.push(line))
  const code = await runCommand(importFrom, ['--from', provider, file, '--out', out])
  log.mock.restore()
  error.mock.restore()
  return { code, out, lines: printed.join('\n').split('\n') }
}

/** Returns the numbers of equal and of all minutes that the lines report. */
export function counted(lines: readonly string[]): { equal: number; all: number } {
  const found = lines.flatMap((line) => {
    const [, equal = '', all = ''] = / ([\d,]+) of ([\d,]+) minutes equal/.exec(line) ?? []
    return equal === '' ? [] : [[equal, all].map((count) => Number(count.replaceAll(',', '')))]
  })
  const sum = (at: number) => found.reduce((total, counts) => total + (counts[at] ?? 0), 0)
  return { equal: sum(0), all: sum(1) }
}
