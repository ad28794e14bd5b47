import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { startSystem } from '../../../actors/system.ts'
import { loadConfig, reportOf } from '../../config/load.ts'
import { secretValues } from '../../config/secrets.ts'
import { counted } from '../../domain/delivery/notice.ts'
import { SAMPLES } from '../../render/samples/samples.ts'
import type { Provider } from '../../simulator/index.ts'
import { createLog } from '../../telemetry/log.ts'
import { defineCommand } from '../define-command.ts'
import { indented, type Providers, SIMULATED, startProviders } from '../simulate.ts'
import { answeringConfig, type Chats, openChats } from './chats.ts'
import { isEdit, post, sectionOf, showStorm, stormAlert } from './storm.ts'

export const demo = defineCommand({
  name: 'demo',
  summary: 'run the service with stand-ins for every provider and sample incidents',
  about: `Starts the service on port 3000 (or PORT) with a new secret and a data directory that is deleted at the end, and a stand-in for
every provider. Sends a sample incident of every sender and prints what each channel receives. Ctrl-C ends it.`,
  options: {
    once: { description: 'end when every message has arrived' },
    storm: { description: 'send 2,000 alerts instead, to one chat that takes one message a second' },
    group: { description: 'send alerts of one cluster instead, which share a message' },
  },
  async run({ once, storm, group }) {
    const providers = await startProviders(0)
    const dir = mkdtempSync(join(tmpdir(), 'tocsin-demo-'))
    process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
    const secret = randomBytes(12).toString('hex')
    const chats = storm || group ? undefined : await openChats(providers)
    const sections = chats ? answeringConfig(providers) : { alert: stormAlert(providers) }
    const loaded = loadConfig({
      file: configIn(dir, { gateway_secret: secret, ...sections, ...(group && { noise: GROUPING }) }),
      env: { PORT: process.env.PORT },
    })
    const secrets = secretValues(loaded.config)
    const system = await startSystem(loaded.config, {
      log: createLog({ level: 'warn', secrets }),
      secrets,
      shown: () => reportOf(loaded),
      propose: (sections) => loaded.propose(sections),
    })
    const url = `http://127.0.0.1:${system.port}`
    if (chats) await showSamples(url, providers, chats)
    else await (storm ? showStorm(url, providers.chatws, secret) : showGroup(url, providers.chatws))
    if (!once) {
      console.log(`Post your own incidents to ${url}/api/incidents. The dashboard shows them: ${url}
Its secret for this run: ${secret}`)
      if (chats) console.log(`Press buttons of the messages: http://127.0.0.1:${chats.port}`)
      await new Promise((resolve) => process.once('SIGINT', resolve))
    }
    await system.stop()
    chats?.close()
    return 0
  },
})

function configIn(dir: string, sections: object): string {
  const file = join(dir, 'config.yaml')
  const storage = { file: { data_dir: join(dir, 'data') } }
  const text = stringify({ host: '127.0.0.1', ...sections, storage })
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

async function showSamples(url: string, providers: Providers, chats: Chats): Promise<void> {
  const arrived = SIMULATED.map((name) => show(providers[name], chats))
  for (const { payload } of SAMPLES) await post(url, payload)
  await Promise.all(arrived)
  console.log(`\n${SAMPLES.length} incidents were sent to ${SIMULATED.length} channels.`)
}

/** Prints the messages that the stand-in receives; resolves when it has received one for each sample. */
function show(provider: Provider, { answer, isMessage }: Chats): Promise<void> {
  let messages = 0
  return new Promise((resolve) => {
    provider.script = (request) => {
      if (!isMessage(request)) return answer(request)
      console.log(`\n${provider.kind}\n${indented(request.text)}`)
      if (++messages === SAMPLES.length) resolve()
      return undefined
    }
  })
}

const HOSTS = Array.from({ length: 12 }, (_, nth) => `db-${nth + 1}`)
const LOUD = 'db-7'

/** Section `noise` of the demo: alerts of one cluster share a message. */
const GROUPING = { group: { by: ['labels.cluster'] } }

/** Sends alerts of one cluster until all are over, and prints what the chat receives. */
async function showGroup(url: string, chat: Provider): Promise<void> {
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
