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
  const isBundled = isFresh(ROOT, BUNDLE)
  const refusal = refusalOf(process.versions.node, {
    runsTypeScript: isBundled || Boolean(process.features.typescript),
  })
  if (refusal !== undefined) {
    console.error(refusal)
    process.exit(1)
  }
  await import(isBundled ? `${BUNDLE}${entry}.js` : `${ROOT}src/${entry}.ts`)
}

/**
 * Returns why a version of Node, such as 20.20.2, cannot run the program; undefined: it can.
 *
 * @param {string} version
 * @param {{ runsTypeScript: boolean }} abilities
 */
export function refusalOf(version, { runsTypeScript }) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (runsTypeScript && (major > 22 || (major === 22 && minor >= 16))) return undefined
  const needed = runsTypeScript ? '22.16 or later' : '22.18 or later to run from its sources'
  return `Tocsin needs Node ${needed}, and this is ${version}: npm start and npm run tocsin use the one that npm ci brought`
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
