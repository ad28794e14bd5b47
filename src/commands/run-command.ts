import { CodedError } from '../domain/errors.ts'
import { type Command, ServiceError, UsageError } from './command.ts'

/** Runs a command and returns its exit code. Prints the message of an error it throws to standard error. */
export async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(command.usage)
    return 0
  }
  try {
    return await command.run(args)
  } catch (error) {
    console.error(sentence(error))
    return error instanceof UsageError ? 2 : 1
  }
}

function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const known =
    error instanceof CodedError || error instanceof UsageError || error instanceof ServiceError || 'code' in error
  if ('code' in error && error.code === 'EADDRINUSE')
    return `${error.message}: end the program that has this port, or choose another one (for the service by PORT)`
  return known ? error.message : (error.stack ?? error.message)
}
