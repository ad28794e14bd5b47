import { CodedError } from '../domain/errors.ts'

/** Runs `work` on the files of the journal; turns failures of the disk into `storage_full` or `storage_down`. */
export function withDiskErrors<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toDiskError(directory, error)
  }
}

/** Returns `storage_full` or `storage_down` for an error of the file system; any other error as it is. */
export function toDiskError(directory: string, error: unknown): unknown {
  const reason = error instanceof Error && 'code' in error ? error.code : undefined
  if (error instanceof CodedError || typeof reason !== 'string') return error
  if (reason === 'ENOSPC' || reason === 'EDQUOT')
    return new CodedError('storage_full', `the journal ${directory} cannot grow (${reason}): make room on its disk`, {
      cause: error,
    })
  return new CodedError(
    'storage_down',
    `the journal ${directory} cannot be read or written (${reason}): check its owner, mode and disk`,
    { cause: error },
  )
}

/** Returns `storage_down` for a directory that was removed, or replaced by another, while the journal was open. */
export const directoryGone = (directory: string) =>
  new CodedError(
    'storage_down',
    `the journal ${directory} was removed or replaced: stop the service, put the directory back, start it again`,
  )

/**
 * A request of another replica has used one of the idempotency keys meanwhile: nothing was appended. The keys are to be
 * looked up again.
 */
export class KeysTaken extends Error {
  constructor() {
    super('an idempotency key was used meanwhile')
    this.name = 'KeysTaken'
  }
}
