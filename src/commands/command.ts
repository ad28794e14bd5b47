/** One command of the command line. */
export interface Command {
  /** What it does, in one line of the overview. */
  readonly summary: string
  /** What `--help` prints. */
  readonly usage: string
  /** Resolves with the exit code: 0 done, 1 it found faults or failed; a command that keeps running resolves when it is up. */
  run(args: readonly string[]): Promise<number>
}

/** A command line that cannot be understood: exit code 2. */
export class UsageError extends Error {}

/** What the service says no with, or that it says nothing. */
export class ServiceError extends Error {
  /** Absent: it could not be reached. */
  readonly status: number | undefined
  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServiceError'
    this.status = status
  }
  /** Whether asking again later can help. */
  get mayPass(): boolean {
    return this.status === undefined || this.status >= 500
  }
}
