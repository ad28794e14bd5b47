import type { Browser } from 'playwright-core'
import { isEdit } from '../../src/commands/demo/storm.ts'
import { alertFor, type Providers } from '../../src/commands/simulate.ts'
import { post, SECRET } from '../harness/net/requests.ts'
import { pictureSystem } from './picture-system.ts'

const GROUP = { by: ['labels.alertname', 'labels.cluster'] }
const OTHER_HOSTS = Array.from({ length: 11 }, (_, nth) => `db-${nth + 2}`)

function alertOf(instance: string): object {
  const labels = { alertname: 'DiskAlmostFull', service: instance, severity: 'warning', cluster: 'eu-west' }
  const annotations = { summary: `Disk of ${instance} is nearly full` }
  const alert = { status: 'firing', labels, annotations, startsAt: new Date().toISOString() }
  return { version: '4', status: 'firing', alerts: [alert], commonLabels: labels, commonAnnotations: annotations }
}

/** Sends alerts of twelve hosts of a cluster, and takes a picture of the message that they share. */
export async function groupPicture(browser: Browser, providers: Providers, path: string): Promise<void> {
  const sections = { alert: { chatws: alertFor(providers).chatws }, delivery: {}, noise: { group: GROUP } }
  const system = await pictureSystem(sections)
  const { url } = system
  await post(url, alertOf('db-1'))
  await providers.chatws.waitFor(({ text }) => text.includes('db-1'))
  for (const host of OTHER_HOSTS) await post(url, alertOf(host))
  await providers.chatws.waitFor((request) => isEdit(request) && request.text.includes('12 problems'))
  const place = { colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' } as const
  const page = await browser.newPage({ viewport: { width: 520, height: 900 }, deviceScaleFactor: 2, ...place })
  await page.goto(`${url}/#/digests/1`)
  await page.getByLabel('Gateway secret').fill(SECRET)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const message = page.locator('.look-chatws')
  await message.getByText('12 problems').waitFor()
  await message.screenshot({ path })
  await system.stop()
}
