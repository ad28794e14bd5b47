import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const STATIC = join(ROOT, 'static')
/** Folder of the bundle that `npm run build:dashboard` makes. */
export const PREBUILT = join(ROOT, 'dist/dashboard')
/** Files that the pages share with the service. */
const DOMAIN = join(ROOT, 'src/domain')
const PACKAGES = [join(ROOT, 'package.json'), join(ROOT, 'package-lock.json')]

/** Returns a hash of the sources and the list of packages; undefined when an installation has no sources. */
export async function stampOfSources(): Promise<string | undefined> {
  const pages = await filesIn(STATIC)
  if (pages.length === 0) return undefined
  const hash = createHash('sha256')
  for (const file of [...pages, ...(await filesIn(DOMAIN)), ...PACKAGES]) {
    hash.update(`${file.slice(ROOT.length)}\0`).update(await readFile(file).catch(() => ''))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Lists all files below a folder, sorted; none when the folder does not exist. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}
