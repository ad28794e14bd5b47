import { CodedError } from '../domain/errors.ts'

/** Keys and list indexes from the root. */
export type Path = readonly (string | number)[]

/** One error or warning about the configuration, with the place of its value. */
export interface LocatedIssue {
  /** `config.yaml:6`, `environment variable PORT`, or empty for a default. */
  readonly where: string
  readonly path: Path
  readonly message: string
}

/**
 * Code `config_invalid`, with all errors of one configuration. The message has one line for each, and one for each
 * warning: a key is often missing because it was written under its old name, and only the warning says so.
 */
export class ConfigError extends CodedError {
  readonly issues: readonly LocatedIssue[]
  constructor(issues: readonly LocatedIssue[], warnings: readonly string[] = []) {
    super('config_invalid', [...issues.map(line), ...warnings.map((text) => `warning: ${text}`)].join('\n'))
    this.name = 'ConfigError'
    this.issues = issues
  }
}

/** Returns one line of text; line breaks in keys and messages become blanks. */
export function line({ where, path, message }: LocatedIssue): string {
  const parts = [where, dotted(path), message].filter((part) => part !== '')
  return parts.join(': ').replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ')
}

/** `agent.sources.0.name` */
export const dotted = (path: Path): string => path.join('.')

/** Returns the value at a path of plain data; undefined when there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let here: unknown = value
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined
    here = (here as { readonly [key: string]: unknown })[String(part)]
  }
  return here
}

/** An error or a warning about one key. */
export interface Issue {
  readonly path: Path
  readonly message: string
}

/** Reads one value of the effective configuration by its dotted path. The value may be invalid. */
export type Lookup = (path: string) => unknown

export const getter =
  (effective: unknown): Lookup =>
  (path) =>
    valueAt(effective, path.split('.'))

/** Returns the value if it is a list, else an empty list. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns true for undefined, null, empty text and an empty list. */
export function empty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
