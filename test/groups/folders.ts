import { globSync } from 'node:fs'
import { resolve } from 'node:path'

/** Runs all tests of these folders of `test/` in this process: they leave nothing behind, and starting a process for each file takes longer than they do. */
export async function testFolders(...folders: readonly string[]): Promise<void> {
  const root = resolve(import.meta.dirname, '..')
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root }).sort())
  for (const file of files) await import(resolve(root, file))
}
