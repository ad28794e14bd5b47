import { execFile } from 'node:child_process'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readBundle, type SiteFile } from './manifest.ts'
import { PREBUILT, stampOfSources } from './sources.ts'

const BUILD = fileURLToPath(new URL('./build.ts', import.meta.url))
const BUILD_MS = 60_000

/**
 * Returns the files of the dashboard: from the bundle that was built ahead, else from the data directory, else bundled
 * now by another process and kept there for the next start. Rejects when bundling fails or takes more than 60 s.
 */
export async function openSite(dataDir: string, prebuiltDir = PREBUILT): Promise<readonly SiteFile[]> {
  const stamp = await stampOfSources()
  const prebuilt = await readBundle(prebuiltDir, stamp)
  if (prebuilt !== undefined) return prebuilt
  if (stamp === undefined) throw new Error(`no dashboard in ${prebuiltDir}, and no sources to bundle one from`)
  const cacheDir = join(dataDir, 'dashboard')
  const dir = join(cacheDir, stamp)
  const cached = await readBundle(dir, stamp)
  if (cached !== undefined) return cached
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', BUILD, dir], {
    timeout: BUILD_MS,
  })
  const bundled = await readBundle(dir, stamp)
  if (bundled === undefined) throw new Error(`${dir}: the bundle cannot be read back`)
  await deleteOthers(cacheDir, stamp)
  return bundled
}

/** Another process may be writing a bundle into the same directory: what is younger than a build may take stays. */
async function deleteOthers(cacheDir: string, stamp: string): Promise<void> {
  const others = (await readdir(cacheDir)).filter((name) => name !== stamp).map((name) => join(cacheDir, name))
  await Promise.all(
    others.map(async (path) => {
      const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
      if (Date.now() - changedAt > BUILD_MS) await rm(path, { recursive: true, force: true })
    }),
  )
}
