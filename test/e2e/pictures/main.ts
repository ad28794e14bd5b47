import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { SECRET } from '../../harness/requests.ts'
import { launchChromium } from '../chromium.ts'
import { startScene } from './scene.ts'

const FOLDER = join(import.meta.dirname, '../../../docs/pictures')
const MAX_BYTES = 300_000
/** Length of the time axis: the lines of the charts begin at the left edge. */
const PLAY_SECONDS = 180

/** `npm run docs:pictures`: takes the pictures of the documentation from the real service, in about four minutes. */
async function main(): Promise<void> {
  const browser = await launchChromium()
  const scene = await startScene()
  try {
    const overview = await open(browser, scene.url, { width: 1440, height: 892, scale: 1 })
    console.log(`Incidents are sent for ${PLAY_SECONDS} seconds.`)
    await scene.play(PLAY_SECONDS)
    const ids = await scene.finish()
    await overview.screenshot({ path: pathOf('dashboard.png') })
    const detail = await open(browser, scene.url, { width: 520, height: 900, scale: 2 })
    await detail.goto(`${scene.url}/#/incidents/${ids.at(-1)}`)
    await detail.getByRole('tab', { name: 'chatws' }).click()
    await detail.locator('.look-chatws').screenshot({ path: pathOf('message.png') })
    report()
  } finally {
    await browser.close()
    await scene.stop()
  }
}

const pathOf = (name: string) => join(FOLDER, name)

async function open(
  browser: Browser,
  url: string,
  { width, height, scale }: { width: number; height: number; scale: number },
): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height },
    deviceScaleFactor: scale,
    ...{ colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' },
  })
  await page.goto(url)
  await page.getByLabel('Gateway secret').fill(SECRET)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Latest incidents').waitFor()
  return page
}

function report(): void {
  for (const name of ['dashboard.png', 'message.png']) {
    const { size } = statSync(pathOf(name))
    console.log(`docs/pictures/${name}: ${Math.round(size / 1_000)} kB`)
    if (size > MAX_BYTES) throw new Error(`docs/pictures/${name} is larger than ${MAX_BYTES / 1_000} kB`)
  }
}

await main()
