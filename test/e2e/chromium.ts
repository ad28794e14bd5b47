import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const MISSING = 'chromium is missing: install it (Debian: apt-get install chromium) or set CHROMIUM to its path'

/** Starts the chromium of this machine without a window. Throws when there is none. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path))
  if (executablePath === undefined) throw new Error(MISSING)
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
