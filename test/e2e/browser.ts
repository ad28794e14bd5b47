import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, type TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from './chromium.ts'

const TIMEOUT_MS = 60_000

let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

export interface Visit {
  readonly page: Page
  /** Errors and warnings of the console, and uncaught exceptions. */
  readonly complaints: string[]
  /** Addresses of requests to hosts other than the service. */
  readonly strayed: string[]
}

/** Opens `url` in a window of its own, which closes with the test. */
export async function visit(t: TestContext, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  browser ??= launchChromium()
  const context = await (await browser).newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
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

/** Returns one line for each serious or critical violation that axe finds in the page as it is now. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = await page.evaluate<Violation[]>('axe.run(document).then(({ violations }) => violations)')
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
