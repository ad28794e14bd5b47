import { counted } from '../../domain/delivery/notice.ts'
import type { Provider } from '../../simulator/index.ts'
import { indented } from '../simulate.ts'
import { isEdit, post, sectionOf } from './storm.ts'

const HOSTS = Array.from({ length: 12 }, (_, nth) => `db-${nth + 1}`)
const LOUD = 'db-7'

/** Section `noise` of the demo: alerts of one cluster share a message. */
export const GROUPING = { group: { by: ['labels.cluster'] } }

/** Sends alerts of one cluster until all are over, and prints what the chat receives. */
export async function showGroup(url: string, chat: Provider): Promise<void> {
  const startedAt = Date.now()
  const received = { messages: 0, edits: 0 }
  chat.script = (request) => {
    received[isEdit(request) ? 'edits' : 'messages']++
    const after = ((Date.now() - startedAt) / 1_000).toFixed(1)
    console.log(`\nafter ${after} s, ${isEdit(request) ? 'an edit' : 'a message'}\n${indented(sectionOf(request))}`)
    return undefined
  }
  const alerts = (of: readonly string[], severity: string, status: string) =>
    post(
      url,
      of.map((host) => ({
        ...{ title: `Disk of ${host} is nearly full`, service: host, severity, status },
        labels: { cluster: 'eu-west' },
      })),
    )
  console.log(
    `Sending alerts of ${HOSTS.length} hosts of one cluster; then one of them turns critical, and all are resolved.`,
  )
  const [first = '', ...others] = HOSTS
  await alerts([first], 'warning', 'firing')
  await chat.waitFor(({ text }) => text.includes(first))
  await alerts(others, 'warning', 'firing')
  await chat.waitFor(isEdit)
  await alerts([LOUD], 'critical', 'firing')
  await chat.waitFor(({ text }) => text.includes('CRITICAL'))
  await alerts(HOSTS, 'warning', 'resolved')
  await chat.waitFor(({ text }) => text.includes('is over'))
  console.log(
    `\n${2 * HOSTS.length + 1} alerts became ${counted(received.messages, 'message')} and ${counted(received.edits, 'edit')}.`,
  )
}
