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
