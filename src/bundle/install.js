import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/*
 * Bundles the service after the packages are installed. Without a bundle the sources run, so a failure is no error of
 * the installation.
 */
const script = fileURLToPath(new URL('./build.ts', import.meta.url))
try {
  execFileSync('node', ['--disable-warning=ExperimentalWarning', script], { stdio: ['ignore', 'ignore', 'pipe'] })
} catch (error) {
  console.warn(
    `the service starts from its sources, which is slower: it was not bundled: ${error instanceof Error ? error.message : error}`,
  )
}
