import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Lookups } from './substitute.ts'

const INSTALLATION = join(import.meta.dirname, '../../..')

/**
 * Returns the path of a template: from the folder of the file that names it, else from the working directory, else from
 * the installation, which has those of every channel. When the template is nowhere, the first of these places.
 * @param namedIn file and line, such as `config/config.yaml:12`; undefined for a default or a variable
 */
export function templateAt(path: string, namedIn: string | undefined): string {
  if (path === '' || isAbsolute(path)) return path
  const folder = namedIn === undefined ? [] : [join(folderOf(namedIn), path)]
  const places = [...folder, path, join(INSTALLATION, path)]
  return places.find((place) => existsSync(place)) ?? places[0] ?? path
}

const folderOf = (where: string) => dirname(where.replace(/:\d+$/, ''))

/** Returns the path of a file beside the configuration file; else from the working directory, if it is there. */
export function besideOrHere(path: string, main: string, lookups: Lookups): string {
  const beside = isAbsolute(path) ? path : join(dirname(main), path)
  return isThere(beside, lookups) || !isThere(path, lookups) ? beside : path
}

/** Returns false for a path without a file. A file that cannot be read is there. */
export function isThere(path: string, lookups: Lookups): boolean {
  try {
    lookups.file(path)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}
