import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** What a bundle consists of; lies beside its files as `manifest.json`. */
export interface Manifest {
  /** Names the sources it was made of. */
  readonly stamp: string
  readonly files: readonly ManifestFile[]
}

export interface ManifestFile {
  /** As it is asked for: `/` or `/assets/<name>-<hash>.<ending>`. */
  readonly path: string
  /** Below the bundle's folder; compressed forms lie beside it as `<file>.<encoding>`. */
  readonly file: string
  readonly type: string
  /** Names the content. */
  readonly tag: string
  readonly encodings: readonly Encoding[]
}

/** One file of the dashboard, ready to be sent. */
export interface SiteFile {
  readonly path: string
  readonly type: string
  readonly tag: string
  readonly plain: Uint8Array
  readonly encoded: { readonly [encoding in Encoding]?: Uint8Array }
}

export const MANIFEST = 'manifest.json'

/** Undefined: there is no bundle, or it was made of other sources (`stamp` undefined: any will do). */
export async function readBundle(dir: string, stamp: string | undefined): Promise<readonly SiteFile[] | undefined> {
  const manifest = await readManifest(dir)
  if (manifest === undefined || (stamp !== undefined && manifest.stamp !== stamp)) return undefined
  return Promise.all(manifest.files.map((file) => readSiteFile(dir, file)))
}

async function readManifest(dir: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, MANIFEST), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

async function readSiteFile(dir: string, { path, file, type, tag, encodings }: ManifestFile): Promise<SiteFile> {
  const encoded = await Promise.all(
    encodings.map(async (encoding) => [encoding, await readFile(join(dir, `${file}.${encoding}`))] as const),
  )
  return { path, type, tag, plain: await readFile(join(dir, file)), encoded: Object.fromEntries(encoded) }
}
