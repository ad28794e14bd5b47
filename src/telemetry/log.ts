import { isatty } from 'node:tty'
import { destination, pino } from 'pino'
import { visible, visibleJson } from '../text/visible.ts'
import { scrubber } from './scrub.ts'

/** What the rest of the program logs through. `fields` hold what a machine looks for, the message is for people. */
export interface Log {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

export type Level = keyof Log

/** A log that others hold while what it does changes. */
export interface LiveLog extends Log {
  /** Secrets are added to those it knows: what was secret before may still be on its way into a line. */
  change(next: { readonly level?: Level; readonly secrets?: readonly string[] }): void
}

/** How the threads log: what they need to build their own. */
export interface LogSettings {
  readonly level: Level
  readonly secrets: readonly string[]
}

interface LogOptions {
  readonly level: Level
  /** Texts that no line may hold. */
  readonly secrets: readonly string[]
  /** Name of the thread, in every line. */
  readonly name?: string
  /** Takes whole lines of JSON, each with its line feed; standard output unless given. */
  readonly write?: (line: string) => void
}

/**
 * One JSON object a line. Every thread makes its own log: a line is one synchronous write to standard output, so lines of
 * several threads come out whole and nothing is lost at exit. A terminal gets a line for people instead.
 */
export function createLog({ level, secrets, name, write }: LogOptions): LiveLog {
  const known = new Set(secrets)
  let scrub = scrubber(secrets)
  const out = write ?? printer()
  const format = write === undefined && isatty(1) ? readable : visibleJson
  const options = {
    level,
    base: name === undefined ? {} : { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    messageKey: 'message',
  }
  const logger = pino(options, { write: (line: string) => out(scrub(format(line))) })
  return Object.assign(logger, {
    change(next: Parameters<LiveLog['change']>[0]) {
      for (const secret of next.secrets ?? []) known.add(secret)
      scrub = scrubber([...known])
      logger.level = next.level ?? logger.level
    },
  })
}

/** Writes text to standard output as it is, whole and at once, between the lines of any log; does nothing when its reader is gone. */
export function printer(): (text: string) => void {
  const out = destination({ fd: 1, sync: true })
  return (text) => void out.write(text)
}

/** Writes JSON that somebody else wrote, a line each. */
export function jsonPrinter(): (json: string) => void {
  const print = printer()
  return (json) => print(`${visibleJson(json)}\n`)
}

/** `12:00:01.250 WARN message key=value` of a JSON line; what others wrote steers no terminal and begins no line. */
export function readable(line: string): string {
  const { level, time, message, ...fields } = JSON.parse(line) as { readonly [key: string]: unknown }
  const pairs = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const said = [String(time).slice(11, 23), String(level).toUpperCase().padEnd(5), message, ...pairs].join(' ')
  return `${visible(said).replaceAll('\n', '\n    ')}\n`
}
