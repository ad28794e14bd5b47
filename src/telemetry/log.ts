import { isatty } from 'node:tty'
import { destination, pino } from 'pino'
import { visible, visibleJson } from '../text/visible.ts'
import { scrubber } from './mask-secrets.ts'

/** The log. `fields` are for programs that search it, the message is for people. */
export interface Log {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

export type Level = keyof Log

/** A log whose level and secrets can change while it is in use. */
export interface LiveLog extends Log {
  /** Changes the level, and adds secrets. Old secrets stay masked, because a line may still quote them. */
  change(next: { readonly level?: Level; readonly secrets?: readonly string[] }): void
}

/** Settings from which each thread creates its log. */
export interface LogSettings {
  readonly level: Level
  readonly secrets: readonly string[]
}

interface LogOptions {
  readonly level: Level
  /** Texts that are masked in every line. */
  readonly secrets: readonly string[]
  /** Name of the thread, written into every line. */
  readonly name?: string
  /** Takes one line of JSON with its line feed. Default: standard output. */
  readonly write?: (line: string) => void
}

/**
 * Creates the log of one thread: one JSON object a line, or a readable line on a terminal. Each line is one synchronous
 * write to standard output, so lines of several threads stay whole and none is lost at exit.
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

/**
 * Returns a function that writes text to standard output in one synchronous write, so that no log line breaks it. It
 * does nothing when the reader of standard output is gone.
 */
export function printer(): (text: string) => void {
  const out = destination({ fd: 1, sync: true })
  return (text) => void out.write(text)
}

/** Returns a function that prints a client's JSON on one line, without control characters. */
export function jsonPrinter(): (json: string) => void {
  const print = printer()
  return (json) => print(`${visibleJson(json)}\n`)
}

/**
 * Returns `12:00:01.250 WARN message key=value` for a line of JSON. Control characters are made visible and continued
 * lines are indented, so that no foreign text steers the terminal or looks like a line of the log.
 */
export function readable(line: string): string {
  const { level, time, message, ...fields } = JSON.parse(line) as { readonly [key: string]: unknown }
  const pairs = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = [String(time).slice(11, 23), String(level).toUpperCase().padEnd(5), message, ...pairs].join(' ')
  return `${visible(text).replaceAll('\n', '\n    ')}\n`
}
