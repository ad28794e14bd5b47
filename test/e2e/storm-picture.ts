import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { isEdit, sectionOf, showStorm, stormAlert } from '../../src/commands/demo/storm.ts'
import type { Providers } from '../../src/commands/simulate.ts'
import type { Received } from '../../src/simulator/index.ts'
import { mrkdwnToHtml } from '../../static/preview/mrkdwn.ts'
import { SECRET } from '../harness/net/requests.ts'
import { pictureSystem } from './picture-system.ts'

/** Seconds after the first alert at which the first two frames are taken; the third is the end. */
const FRAMES_AT = [1, 3]
const STYLE = `
  body { margin: 0; display: flex; gap: 16px; padding: 16px; background: #fff; font: 12px/1.4 sans-serif; color: #1d1c1d }
  section { flex: 1; height: 670px; overflow: hidden; border: 1px solid #ddd; border-radius: 8px; display: flex; flex-direction: column }
  h1 { margin: 0; padding: 8px 12px; font-size: 13px; border-bottom: 1px solid #ddd; background: #f6f6f6 }
  main { flex: 1; overflow: hidden; display: flex; flex-direction: column; padding: 8px 12px; gap: 5px }
  div { flex: none; border-left: 4px solid #c70039; padding: 1px 8px }
  i { display: inline-block; width: 9px; height: 9px; border-radius: 50%; background: #dd2e44; margin-right: 3px }`

/** The emoji of the messages as drawings: the browser of a build machine has no font for them. */
const drawn = (html: string) => html.replaceAll('🔴', '<i></i>').replaceAll('🌩', '')

/** Runs the storm of the demo and takes one picture of three frames: what is in the chat early, with the digest, and at the end. */
export async function stormPicture(browser: Browser, providers: Providers, path: string): Promise<void> {
  const chat = providers.chatws
  const system = await pictureSystem({ alert: stormAlert(providers), delivery: {} })
  const before = chat.requests.length
  const startedAt = Date.now()
  const frame = () => frameOf(chat.requests.slice(before), Math.round((Date.now() - startedAt) / 1_000))
  const early = FRAMES_AT.map((seconds) => sleep(seconds * 1_000).then(frame))
  await showStorm(system.url, chat, SECRET)
  const frames = [...(await Promise.all(early)), frame()]
  await system.stop()
  const page = await browser.newPage({ viewport: { width: 1280, height: 704 } })
  await page.setContent(`<style>${STYLE}</style>${frames.join('')}`)
  await page.screenshot({ path })
}

/** Returns the chat as HTML. An edit replaces the digest, which is the only message that is edited. */
function frameOf(requests: readonly Received[], seconds: number): string {
  const texts: string[] = []
  for (const request of requests) {
    const text = sectionOf(request)
    if (isEdit(request)) texts[texts.findIndex((each) => each.includes('Digest'))] = text
    else texts.push(text)
  }
  const messages = texts.map((text) => `<div>${drawn(mrkdwnToHtml(text))}</div>`).join('')
  return `<section><h1>after ${seconds} s: ${texts.length} messages</h1><main>${messages}</main></section>`
}
