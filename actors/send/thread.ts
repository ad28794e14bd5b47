import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelKind } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { compact } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { createPost } from '../../src/outbound/http-call.ts'
import { type ChannelTemplate, RenderPool } from '../../src/render/pool/pool.ts'
import { allowedEnvironment } from '../../src/render/templates/environment.ts'
import { loadTemplates, readSource, trySamples } from '../../src/render/templates/library.ts'
import { type TemplateWatch, watchTemplates } from '../../src/render/templates/watch.ts'
import { type Log, printer } from '../../src/telemetry/log.ts'
import type { SendQuery, TemplateText } from '../messages/send-queries.ts'
import { outcomesOf } from '../messages/settlement-window.ts'
import type { PageTold } from '../messages/storage-pager.ts'
import type { Settle } from '../messages/storage-send.ts'
import { announcePeer } from '../wiring/peers.ts'
import type { SendBoot, ThreadTools } from '../wiring/settings.ts'
import { linksOf, startPager } from './pager-cell.ts'
import { createSender, DRAIN_MS, type Sender } from './sender-cell.ts'

const CLOSE_GRACE_MS = 250

/** One SenderActor per enabled channel, and the render pool they share. */
export function sendThread(boot: SendBoot, { link, turns }: ThreadContext, { log, figures }: ThreadTools): ThreadBody {
  const storage: Ref<Settle | PageTold> = link('store').outlet('storage', outcomesOf(boot))
  const { pool, watch, rehearse } = startRendering(boot, log)
  const post = createPost()
  const print = printer()
  const links = linksOf(boot)
  const senders = boot.channels.map((channel) => {
    const open = () => kindOf(channel.name).create(channel.options, { post, print, now: () => systemClock.now() })
    return createSender({ boot, channel, open, storage, pool, links, log, figures, turns })
  })
  const cells = senders.map(({ cell }) => cell)
  for (const cell of cells) link('store').inlet(cell.spec.name, cell.mailbox)
  for (const cell of cells) announcePeer(link('store'), cell)
  whenFirstUp(link('store'), rehearse)
  const all = [...cells, ...startPager(boot, { link, turns, storage, post, links, drainMs: DRAIN_MS, log, figures })]
  return {
    cells: all,
    ask: (_actor, query) => answer(query as SendQuery, { senders, pool, spare: boot.spare }),
    async stop() {
      await Promise.all(all.map((cell) => cell.drain()))
      await Promise.all(all.map((cell) => cell.close()))
      watch?.close()
      // Nothing waits for them any more: a template that runs on, or a provider that cannot be reached, may end with the thread.
      await Promise.race([Promise.all([pool.close(), post.close()]), pause(CLOSE_GRACE_MS)])
    },
  }
}

interface Asked {
  readonly senders: readonly Sender[]
  readonly pool: RenderPool
  readonly spare: SendBoot['spare']
}

function answer(query: SendQuery, { senders, pool, spare }: Asked): unknown {
  switch (query.kind) {
    case 'preview':
      return pool.preview(spareTemplate(query.channel, spare) ?? query.channel, query.item, query.template)
    case 'templates':
      return [...pool.templates().map((each) => textOf(each, true)), ...spareTexts(spare)]
    case 'senders':
      return senders.map((sender) => sender.state())
    case 'pause':
      return senderOf(query.channel, senders)?.pause(query.paused)
    case 'trial': {
      const sender = senderOf(query.channel, senders)
      if (!sender) throw new CodedError('bad_parameter', `the channel ${query.channel} is not enabled`)
      return sender.tryOut(query.target)
    }
    default:
      return query satisfies never
  }
}

const textOf = ({ channel, source: { file, text } }: ChannelTemplate, enabled: boolean): TemplateText => ({
  ...{ channel, file, text, enabled },
})

/** As its file is now; undefined: the channel is enabled. Throws `template_invalid` when the file cannot be read. */
function spareTemplate(channel: string, spare: SendBoot['spare']): ChannelTemplate | undefined {
  const spec = spare.find((each) => each.channel === channel)
  return spec && { channel, source: readSource(spec.path), rules: spec.rules }
}

/** Those that can be read: a fault in what is not in use is nobody's concern before it is. */
function spareTexts(spare: SendBoot['spare']): TemplateText[] {
  return spare.flatMap(({ channel }) => {
    try {
      const template = spareTemplate(channel, spare)
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
  rehearse(): void
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
  const rehearse = () => {
    for (const warning of trySamples(templates, recognise)) log.warn({}, warning)
    compact()
  }
  const onChange = (template: ChannelTemplate) => {
    pool.replace(template)
    log.info({ channel: template.channel, file: template.source.file }, 'a template was edited and is in use')
  }
  const onFault = (fault: string) => log.warn({ fault }, 'a template file has a fault; the one in use stays')
  return { pool, rehearse, watch: settings.watch ? watchTemplates(templates, { onChange, onFault }) : undefined }
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
