import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The list of a bundle's files, stored beside them as `manifest.json`. */
export interface Manifest {
  /** Hash of the sources. */
  readonly stamp: string
  readonly files: readonly ManifestFile[]
}

export interface ManifestFile {
  /** Path of requests: `/` or `/assets/<name>-<hash>.<ending>`. */
  readonly path: string
  /** Name in the bundle's folder; compressed forms are beside it as `<file>.<encoding>`. */
  readonly file: string
  readonly type: string
  /** Hash of the content. */
  readonly tag: string
  readonly encodings: readonly Encoding[]
}

/** One file of the dashboard in memory, with its compressed forms. */
export interface SiteFile {
  readonly path: string
  readonly type: string
  readonly tag: string
  readonly plain: Uint8Array
  readonly encoded: { readonly [encoding in Encoding]?: Uint8Array }
}

export const MANIFEST = 'manifest.json'

/** Reads a bundle; undefined when there is none or its stamp differs. Without `stamp` every bundle is accepted. */
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
