import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const STATIC = join(ROOT, 'static')
/** Where `npm run build:dashboard` leaves a bundle. */
export const PREBUILT = join(ROOT, 'dist/dashboard')
/** The nouns that pages and service share. */
const DOMAIN = join(ROOT, 'src/domain')
const PACKAGES = [join(ROOT, 'package.json'), join(ROOT, 'package-lock.json')]

/** Names what a bundle is made of: the sources and the packages; undefined where the sources were left out of an installation. */
export async function stampOfSources(): Promise<string | undefined> {
  const pages = await filesIn(STATIC)
  if (pages.length === 0) return undefined
  const hash = createHash('sha256')
  for (const file of [...pages, ...(await filesIn(DOMAIN)), ...PACKAGES]) {
    hash.update(`${file.slice(ROOT.length)}\0`).update(await readFile(file).catch(() => ''))
  }
  return hash.digest('hex').slice(0, 16)
}

/** All the way down, in a fixed order; none when there is no such folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}
