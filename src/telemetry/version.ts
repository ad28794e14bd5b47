import { readFileSync } from 'node:fs'

/** The program's own, as its package says. */
export const VERSION = versionIn(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

function versionIn(text: string): string {
  const { version }: { readonly version: string } = JSON.parse(text)
  return version
}
