import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelKind } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { createPost } from '../../src/outbound/http-call.ts'
import { type ChannelTemplate, RenderPool } from '../../src/render/pool/pool.ts'
import { allowedEnvironment } from '../../src/render/templates/environment.ts'
import { loadTemplates, readSource, sampleWarnings } from '../../src/render/templates/library.ts'
import { type TemplateWatch, watchTemplates } from '../../src/render/templates/watch.ts'
import { type Log, printer } from '../../src/telemetry/log.ts'
import type { SendQuery, TemplateText } from '../messages/send-queries.ts'
import { settlementWindow } from '../messages/settlement-window.ts'
import type { SettlePage } from '../messages/storage-pager.ts'
import type { Settle } from '../messages/storage-send.ts'
import { notifyOfPeer } from '../wiring/peers.ts'
import type { SendBoot, ThreadDeps } from '../wiring/settings.ts'
import { pageLinksOf, startPager } from './pager-cell.ts'
import { createSender, DRAIN_MS, type Sender } from './sender-cell.ts'

const CLOSE_GRACE_MS = 250

/** One SenderActor per enabled channel, and the render pool they share. */
export function sendThread(
  boot: SendBoot,
  { link, scheduler }: ThreadContext,
  { log, meters }: ThreadDeps,
): ThreadBody {
  const storage: Ref<Settle | SettlePage> = link('store').outlet('storage', settlementWindow(boot))
  const { pool, watch, tryTemplates } = startRendering(boot, log)
  const post = createPost()
  const print = printer()
  const links = pageLinksOf(boot)
  const senders = boot.channels.map((channel) => {
    const open = () => kindOf(channel.name).create(channel.options, { post, print, now: () => systemClock.now() })
    return createSender({ boot, channel, open, storage, pool, links, log, meters, scheduler })
  })
  const cells = senders.map(({ cell }) => cell)
  for (const cell of cells) link('store').inlet(cell.spec.name, cell.mailbox)
  for (const cell of cells) notifyOfPeer(link('store'), cell)
  whenFirstUp(link('store'), tryTemplates)
  const all = [...cells, ...startPager(boot, { link, scheduler, storage, post, links, drainMs: DRAIN_MS, log, meters })]
  return {
    cells: all,
    ask: (_actor, query) => answer(query as SendQuery, { senders, pool, disabledTemplates: boot.disabledTemplates }),
    async stop() {
      await Promise.all(all.map((cell) => cell.drain()))
      await Promise.all(all.map((cell) => cell.close()))
      watch?.close()
      // Nothing waits for them any more: a template that runs on, or a provider that cannot be reached, may end with the thread.
      await Promise.race([Promise.all([pool.close(), post.close()]), pause(CLOSE_GRACE_MS)])
    },
  }
}

interface QueryContext {
  readonly senders: readonly Sender[]
  readonly pool: RenderPool
  readonly disabledTemplates: SendBoot['disabledTemplates']
}

function answer(query: SendQuery, { senders, pool, disabledTemplates }: QueryContext): unknown {
  switch (query.kind) {
    case 'preview':
      return pool.preview(
        disabledTemplate(query.channel, disabledTemplates) ?? query.channel,
        query.item,
        query.template,
      )
    case 'templates':
      return [...pool.templates().map((each) => textOf(each, true)), ...disabledTexts(disabledTemplates)]
    case 'senders':
      return senders.map((sender) => sender.state())
    case 'pause':
      return senderOf(query.channel, senders)?.pause(query.paused)
    case 'trial': {
      const sender = senderOf(query.channel, senders)
      if (!sender) throw new CodedError('bad_parameter', `the channel ${query.channel} is not enabled`)
      return sender.sendTestMessage(query.target)
    }
    default:
      return query satisfies never
  }
}

const textOf = ({ channel, source: { file, text } }: ChannelTemplate, enabled: boolean): TemplateText => ({
  channel,
  file,
  text,
  enabled,
})

/** As its file is now; undefined: the channel is enabled. Throws `template_invalid` when the file cannot be read. */
function disabledTemplate(
  channel: string,
  disabledTemplates: SendBoot['disabledTemplates'],
): ChannelTemplate | undefined {
  const spec = disabledTemplates.find((each) => each.channel === channel)
  return spec && { channel, source: readSource(spec.path), rules: spec.rules }
}

/** Those that can be read: a fault in what is not in use is nobody's concern before it is. */
function disabledTexts(disabledTemplates: SendBoot['disabledTemplates']): TemplateText[] {
  return disabledTemplates.flatMap(({ channel }) => {
    try {
      const template = disabledTemplate(channel, disabledTemplates)
      return template ? [textOf(template, false)] : []
    } catch {
      return []
    }
  })
}

function senderOf(name: ChannelName, senders: readonly Sender[]): Sender | undefined {
  return senders.find(({ channel }) => channel === name)
}

/** The table's entries differ in their options; each was given its own by the configuration. */
const kindOf = (name: ChannelName) => CHANNELS[name] as ChannelKind<unknown>

interface Rendering {
  readonly pool: RenderPool
  readonly watch: TemplateWatch | undefined
  /** Tries the templates out, and tidies up. */
  tryTemplates(): void
}

/** A template that does not parse stops the thread's start; one that stumbles over a sample of ours is only worth a warning. */
function startRendering({ channels, templates: settings, publicHost }: SendBoot, log: Log): Rendering {
  const specs = channels.map(({ name, templatePath }) => ({
    channel: name,
    path: templatePath,
    rules: kindOf(name).text,
  }))
  const templates = loadTemplates(specs)
  const pool = new RenderPool({
    templates,
    threads: settings.threads,
    deadlineMs: settings.deadlineMs,
    env: allowedEnvironment(settings.envAllow, process.env),
    publicHost,
    onFault: (channel, fault) => log.warn({ channel, fault }, 'a template failed; the plain text goes out'),
  })
  const tryTemplates = () => {
    for (const warning of sampleWarnings(templates, recognise)) log.warn({}, warning)
    shrinkHeap()
  }
  const onChange = (template: ChannelTemplate) => {
    pool.replace(template)
    log.info({ channel: template.channel, file: template.source.file }, 'a template was edited and is in use')
  }
  const onFault = (fault: string) => log.warn({ fault }, 'a template file has a fault; the one in use stays')
  return { pool, tryTemplates, watch: settings.watch ? watchTemplates(templates, { onChange, onFault }) : undefined }
}

/** In a turn of its own: the start does not wait for it. */
function whenFirstUp(link: Link, act: () => void): void {
  let done = false
  link.watch((up) => {
    if (!up || done) return
    done = true
    setImmediate(act)
  })
}
