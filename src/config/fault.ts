import { CodedError } from '../domain/errors.ts'

/** Keys and list positions from the root. */
export type Path = readonly (string | number)[]

/** Something wrong with the configuration: where, and what to do about it. */
export interface Fault {
  /** `config.yaml:6`, `environment variable PORT`, or empty when only the defaults are at fault. */
  readonly where: string
  readonly path: Path
  readonly message: string
}

/** All faults of one configuration; the message has one line for each, and for each warning: a key that was renamed may be why another is missing. */
export class ConfigError extends CodedError {
  readonly faults: readonly Fault[]
  constructor(faults: readonly Fault[], warnings: readonly string[] = []) {
    super('config_invalid', [...faults.map(line), ...warnings.map((text) => `warning: ${text}`)].join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** One line for a person, whatever a key is made of. */
export function line({ where, path, message }: Fault): string {
  const parts = [where, dotted(path), message].filter((part) => part !== '')
  return parts.join(': ').replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ')
}

/** `agent.sources.0.name` */
export const dotted = (path: Path): string => path.join('.')
