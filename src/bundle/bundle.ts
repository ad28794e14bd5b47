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

interface Bundled {
  readonly files: number
  readonly bytes: number
}

/** `builtAt`: Unix milliseconds; a source that changed later makes the bundle stale. */
interface Manifest {
  readonly builtAt: number
  /** Paths below the top level. */
  readonly sources: readonly string[]
}

/**
 * Bundles the service into a folder two levels below the top level, completely or not at all. Packages stay in
 * `node_modules`, and files that the code reads stay beside its sources. Rejects with the errors of the sources.
 */
export async function bundleService(folder: string): Promise<Bundled> {
  const builtAt = Date.now()
  const found = new Set<string>()
  const { outputFiles, metafile } = await build({
    entryPoints: ENTRIES,
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    plugins: [keepPlaces(folder, found)],
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
  return { files: outputFiles.length, bytes: outputFiles.reduce((sum, { contents }) => sum + contents.length, 0) }
}

/**
 * Lets `import.meta` of a bundled module name the place of its source. URLs of entries become those of their bundled
 * files; their names are added to `found`.
 */
function keepPlaces(folder: string, found: Set<string>): Plugin {
  const entries = new Map(Object.entries(ENTRIES).map(([name, path]) => [join(ROOT, path), name]))
  return {
    name: 'keep-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        if (!source.includes('import.meta')) return undefined
        const place = relative(folder, path)
        const contents = source
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
