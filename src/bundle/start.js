import { readFileSync, statSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url).pathname
const BUNDLE = `${ROOT}dist/service/`

/**
 * Runs an entry of the program, `main` or `cli`: the bundle of `npm run build:service` when it is as new as the sources,
 * else the sources. Plain JavaScript, so that nothing is stripped of types when the bundle runs.
 *
 * @param {'main' | 'cli'} entry
 */
export async function start(entry) {
  await import(isFresh(ROOT, BUNDLE) ? `${BUNDLE}${entry}.js` : `${ROOT}src/${entry}.ts`)
}

/**
 * Says whether a bundle is there and no source changed after it was built.
 *
 * @param {string} root with a slash at the end, as `bundle`
 * @param {string} bundle
 */
export function isFresh(root, bundle) {
  try {
    /** @type {{ builtAt: number, sources: string[] }} */
    const { builtAt, sources } = JSON.parse(readFileSync(`${bundle}manifest.json`, 'utf8'))
    return sources.every((source) => statSync(root + source).mtimeMs <= builtAt)
  } catch {
    return false
  }
}
