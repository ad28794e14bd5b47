import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build, type OutputFile } from 'esbuild'
import { type Encoding, MANIFEST, type Manifest, type ManifestFile, readBundle } from './manifest.ts'
import { STATIC, stampOfSources } from './sources.ts'

const TYPES: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** Formats that are compressed already. */
const UNCOMPRESSED = ['.woff2']
const COMPRESS: { readonly [encoding in Encoding]: (bytes: Uint8Array) => Promise<Uint8Array> } = {
  br: promisify(brotliCompress),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
}

const DIRECTORY_THERE = ['ENOTEMPTY', 'EEXIST']

/** Bundles the dashboard into `dir`, completely or not at all. Rejects with the errors of the sources. */
export async function bundle(dir: string): Promise<void> {
  const stamp = await stampOfSources()
  if (stamp === undefined) throw new Error(`${STATIC}: no sources to bundle`)
  const outputs = await bundled(dir)
  const draft = `${dir}.${process.pid}`
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 })
    const assets = outputs.map(({ path, contents }) => ({ name: basename(path), contents: Buffer.from(contents) }))
    const page = { name: 'index.html', contents: Buffer.from(await pageOf(assets.map(({ name }) => name))) }
    const files = await Promise.all([page, ...assets].map((file) => write(draft, file)))
    await writeFile(join(draft, MANIFEST), JSON.stringify({ stamp, files } satisfies Manifest))
    await mkdir(dirname(dir), { recursive: true })
    await put(draft, dir, stamp)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Leaves a bundle of the same sources as it is: another process wrote it meanwhile, and may be reading it. What cannot be
 * read is moved away as a whole, so another process finds it, nothing, or a bundle.
 */
async function put(draft: string, dir: string, stamp: string): Promise<void> {
  const old = `${draft}.old`
  for (;;) {
    try {
      return await rename(draft, dir)
    } catch (error) {
      if (await readBundle(dir, stamp).catch(() => undefined)) return
      if (!DIRECTORY_THERE.includes(codeOf(error))) throw error
    }
    await rename(dir, old).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    await rm(old, { recursive: true, force: true })
  }
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

async function bundled(dir: string): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    entryPoints: [join(STATIC, 'main.tsx'), join(STATIC, 'main.css'), join(STATIC, 'tocsin.svg')],
    absWorkingDir: STATIC,
    tsconfig: join(STATIC, 'tsconfig.json'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox128', 'safari17.5'],
    loader: { '.woff2': 'file', '.svg': 'copy' },
    outdir: dir,
    publicPath: '/assets',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles
}

/** Returns the HTML page, with the names of the bundled files in place of those of the sources. */
async function pageOf(names: readonly string[]): Promise<string> {
  const text = await readFile(join(STATIC, 'index.html'), 'utf8')
  return text.replaceAll(/"\/([\w-]+)\.(\w+)"/g, (_, stem: string, ending: string) => {
    const name = names.find((each) => each.startsWith(`${stem}-`) && each.endsWith(`.${ending}`))
    if (name === undefined) throw new Error(`index.html: the bundle has no ${stem}.${ending}`)
    return `"/assets/${name}"`
  })
}

async function write(dir: string, { name, contents }: { name: string; contents: Buffer }): Promise<ManifestFile> {
  const ending = extname(name)
  const type = TYPES[ending]
  if (type === undefined) throw new Error(`${name}: no content type for ${ending}`)
  const compressed = UNCOMPRESSED.includes(ending) ? [] : (Object.keys(COMPRESS) as Encoding[])
  await writeFile(join(dir, name), contents)
  for (const encoding of compressed) {
    await writeFile(join(dir, `${name}.${encoding}`), await COMPRESS[encoding](contents))
  }
  return {
    path: ending === '.html' ? '/' : `/assets/${name}`,
    file: name,
    type,
    tag: createHash('sha256').update(contents).digest('hex').slice(0, 16),
    encodings: compressed,
  }
}
