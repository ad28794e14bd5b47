/** One command of the command line. */
export interface Command {
  /** Its line in the overview. */
  readonly summary: string
  /** The text of `--help`. */
  readonly usage: string
  /**
   * Resolves with the exit code: 0 done, 1 errors found or failed. A command that keeps running resolves once it is up.
   */
  run(args: readonly string[]): Promise<number>
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** The running service refused a request, or cannot be reached. */
export class ServiceError extends Error {
  /** HTTP status; undefined when the service could not be reached. */
  readonly status: number | undefined
  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServiceError'
    this.status = status
  }
  /** True when a later request may succeed. */
  get mayPass(): boolean {
    return this.status === undefined || this.status >= 500
  }
}
