import { readFileSync } from 'node:fs'

/** The version of this program, from package.json. */
export const VERSION = versionIn(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

function versionIn(text: string): string {
  const { version }: { readonly version: string } = JSON.parse(text)
  return version
}

/** The version of Alertmanager whose API its door has: tools compare it with their own. */
export const ALERTMANAGER_VERSION = '0.34.0'
