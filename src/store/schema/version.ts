import { CodedError } from '../../domain/errors.ts'

/** Version of the tables of the first migration. Databases of lower ones were written by development versions. */
export const BASELINE = 39

/** Returns the error for tables of a version below the baseline. `where`: what holds them, with the way out. */
export const tooOld = (version: number, where: string) =>
  new CodedError(
    'storage_down',
    `a development version wrote the tables (version ${version}), and this program knows versions from ${BASELINE} on: ${where}`,
  )
