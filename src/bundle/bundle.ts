import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'

export const ROOT = join(import.meta.dirname, '../..')

/** Scripts that a process or a thread starts with, by the name of their file in the bundle. */
const ENTRIES: { readonly [name: string]: string } = {
  main: 'src/main.ts',
  cli: 'src/cli.ts',
  thread: 'actors/worker.ts',
  render: 'src/render/pool/worker.ts',
  rehearsal: 'actors/rehearsal/worker.ts',
  postgres: 'src/postgres/worker.ts',
}
/** Entries that the sources name by URL. */
const THREADS = ['thread', 'render', 'rehearsal', 'postgres']

/** Packages with a binary, which are needed, or only tried. */
const NEVER_BUNDLED = ['uWebSockets.js', 'esbuild', 'pg-native', '@napi-rs/nice']
/** The threads of piscina begin with a file beside its code. */
const PISCINA_WORKER = { worker: 'node_modules/piscina/dist/worker.js' }
/** Names that the code of CommonJS packages expects to be defined. */
const COMMON_JS = `import { createRequire as createRequireOf } from 'node:module'
const require = createRequireOf(import.meta.url)
const __filename = import.meta.filename
const __dirname = import.meta.dirname`

interface Bundled {
  readonly files: number
  readonly bytes: number
  /** Names of the packages whose code is in the bundle. */
  readonly packages: readonly string[]
}

/** `builtAt`: Unix milliseconds; a source that changed later makes the bundle stale. */
interface Manifest {
  readonly builtAt: number
  /** Paths below the top level. */
  readonly sources: readonly string[]
}

/**
 * Bundles the service into a folder two levels below the top level, completely or not at all. Files that the code reads
 * stay beside its sources. Packages stay in `node_modules`, or are bundled too. Rejects with the errors of the sources.
 */
export async function bundleService(folder: string, packages: 'external' | 'bundle' = 'external'): Promise<Bundled> {
  const alone = packages === 'bundle'
  const builtAt = Date.now()
  const found = new Set<string>()
  const { outputFiles, metafile } = await build({
    entryPoints: { ...ENTRIES, ...(alone && PISCINA_WORKER) },
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages,
    external: NEVER_BUNDLED,
    banner: { js: alone ? COMMON_JS : '' },
    plugins: [keepPlaces(folder, { found, requires: alone ? 'bundled' : 'at run time' })],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  for (const name of THREADS) if (!found.has(name)) throw new Error(`no source makes the URL of ${ENTRIES[name]}`)
  const draft = `${folder}.${process.pid}`
  try {
    await mkdir(draft, { recursive: true })
    for (const { path, contents } of outputFiles) await writeFile(join(draft, relative(folder, path)), contents)
    const manifest: Manifest = { builtAt, sources: Object.keys(metafile.inputs) }
    await writeFile(join(draft, 'manifest.json'), JSON.stringify(manifest))
    await rm(folder, { recursive: true, force: true })
    await rename(draft, folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return {
    files: outputFiles.length,
    bytes: outputFiles.reduce((sum, { contents }) => sum + contents.length, 0),
    packages: [...new Set(Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []))].sort(),
  }
}

const PACKAGE = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/
/** Packages that the code loads when it needs them, and waits for. */
const REQUIRE = 'const require = createRequire(import.meta.url)'

interface Places {
  /** Gets the names of the entries whose URL a source makes. */
  readonly found: Set<string>
  readonly requires: 'bundled' | 'at run time'
}

/**
 * Lets `import.meta` of a bundled module name the place of its source. URLs of entries become those of their bundled
 * files.
 */
function keepPlaces(folder: string, { found, requires }: Places): Plugin {
  const entries = new Map(Object.entries(ENTRIES).map(([name, path]) => [join(ROOT, path), name]))
  return {
    name: 'keep-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        if (!source.includes('import.meta')) return undefined
        const place = relative(folder, path)
        const contents = (requires === 'bundled' ? source.replace(REQUIRE, '') : source)
          .replaceAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g, (text, target: string) => {
            const name = entries.get(resolve(dirname(path), target))
            if (name === undefined) return text
            found.add(name)
            return `new URL('./${name}.js', import.meta['url'])`
          })
          .replaceAll('import.meta.url', `new URL('${place}', import.meta['url']).href`)
          .replaceAll('import.meta.dirname', `(import.meta['dirname'] + '/${dirname(place)}')`)
        return { contents, loader: 'ts' }
      })
    },
  }
}
