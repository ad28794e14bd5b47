import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, threadId } from 'node:worker_threads'

/** A module without types. */
const LOADER = 'tsx'
const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/stripped')

// Tests run by tsx. In worker threads it costs each half a second, and Node strips the types of each module again in each,
// which costs a render thread 200 ms. There a module is stripped once: all threads share what is in the cache.
if (isMainThread) await import(LOADER)
else {
  mkdirSync(CACHE, { recursive: true })
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
      return { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true }
    },
  })
}

/**
 * Returns the source of a module without its types. The last line of a file in the cache says of which version it is.
 *
 * @param {string} path
 */
function stripped(path) {
  const version = `\n// ${statSync(path).mtimeMs} ${process.version}`
  const place = join(CACHE, relative(ROOT, path).replaceAll('/', '+'))
  const known = textOf(place)
  if (known?.endsWith(version)) return known
  const source = stripTypeScriptTypes(readFileSync(path, 'utf8')) + version
  const draft = `${place}.${process.pid}.${threadId}`
  writeFileSync(draft, source)
  renameSync(draft, place)
  return source
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
