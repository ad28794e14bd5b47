import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const MISSING = 'chromium is missing: install it (Debian: apt-get install chromium) or name it in CHROMIUM'
const SLOW_MS = 15_000

let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

function launched(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place))
  if (executablePath === undefined) throw new Error(MISSING)
  browser ??= chromium.launch({ executablePath, args: ['--no-sandbox'] })
  return browser
}

export interface Visit {
  readonly page: Page
  /** What the browser complained of. */
  readonly complaints: string[]
  /** Requests that left for another host. */
  readonly strayed: string[]
}

/** A window of its own, closed with the test; in the end it must have complained of nothing and asked nobody else. */
export async function visit(t: TestContext, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await (await launched()).newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(SLOW_MS)
  const complaints: string[] = []
  const strayed: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && host !== new URL(url).host) strayed.push(request.url())
  })
  t.after(() => context.close())
  await page.goto(url)
  return { page, complaints, strayed }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds serious or critical in the page as it is, one line each. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = await page.evaluate<Violation[]>('axe.run(document).then(({ violations }) => violations)')
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
