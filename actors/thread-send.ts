import { setTimeout as pause } from 'node:timers/promises'
import type { Channel, ChannelKind } from '../src/channels/channel.ts'
import { createCircuits } from '../src/channels/circuit.ts'
import { CHANNELS } from '../src/channels/index.ts'
import { createLimiter } from '../src/channels/limiter.ts'
import { createPost } from '../src/channels/post.ts'
import { createWaitingRoom } from '../src/channels/waiting-room.ts'
import type { Handout, Settlement } from '../src/domain/commit.ts'
import type { Attempt, ChannelName } from '../src/domain/delivery.ts'
import { recognise } from '../src/intake/recognise.ts'
import { Cell } from '../src/kernel/actor.ts'
import { systemClock } from '../src/kernel/clock.ts'
import type { Ref } from '../src/kernel/ref.ts'
import type { ThreadBody, ThreadContext } from '../src/kernel/thread.ts'
import { allowedEnvironment } from '../src/render/environment.ts'
import { loadTemplates, trySamples } from '../src/render/library.ts'
import { type ChannelTemplate, RenderPool } from '../src/render/pool.ts'
import { type TemplateWatch, watchTemplates } from '../src/render/watch.ts'
import { type Log, printer } from '../src/telemetry/log.ts'
import { PEER_WINDOW, type PreviewQuery, type SenderMail, type Settle, senderName } from './messages.ts'
import { announcePeer } from './peers.ts'
import { reports } from './reports.ts'
import { senderActor } from './sender.ts'
import type { ChannelSettings, SendBoot, ThreadTools } from './settings.ts'

/** What sends under way are given at the end; an outcome that is unknown then is told as one. */
const DRAIN_MS = 4_000
const CLOSE_GRACE_MS = 250

/** One SenderActor per enabled channel, and the render pool they share. */
export function sendThread(boot: SendBoot, { link, turns }: ThreadContext, { log }: ThreadTools): ThreadBody {
  const mailboxes = boot.channels.reduce((sum, { mailbox }) => sum + mailbox, 0)
  const storage: Ref<Settle> = link('store').outlet('storage', Math.max(1, mailboxes))
  const { pool, watch } = startRendering(boot, log)
  const post = createPost()
  const print = printer()
  const cells = boot.channels.map((channel) => {
    const open = () => kindOf(channel.name).create(channel.options, { post, print, now: () => systemClock.now() })
    return senderCell({ boot, channel, open, storage, pool, log, turns })
  })
  for (const cell of cells) link('store').inlet(cell.spec.name, cell.mailbox)
  for (const cell of cells) announcePeer(link('store'), cell)
  return {
    cells,
    ask: (_actor, query) => {
      const { channel, item, template } = query as PreviewQuery
      return pool.preview(channel, item, template)
    },
    async stop() {
      await Promise.all(cells.map((cell) => cell.drain()))
      await Promise.all(cells.map((cell) => cell.close()))
      watch?.close()
      // Nothing waits for them any more: a template that runs on, or a provider that cannot be reached, may end with the thread.
      await Promise.race([Promise.all([pool.close(), post.close()]), pause(CLOSE_GRACE_MS)])
    },
  }
}

interface SenderParts extends Pick<ThreadContext, 'turns'> {
  readonly boot: SendBoot
  readonly channel: ChannelSettings
  readonly storage: Ref<Settle>
  readonly pool: RenderPool
  readonly log: Log
  open(): Channel
}

function senderCell({ boot, channel, open, storage, pool, log, turns }: SenderParts): Cell<SenderMail> {
  const clock = systemClock
  const { name, rate, concurrency, mailbox } = channel
  const { retry: policy, timeoutMs, circuit } = boot.delivery
  const room = createWaitingRoom(rate, clock)
  const limiter = createLimiter(rate, clock)
  const circuits = createCircuits(circuit, clock)
  return new Cell<SenderMail>(
    {
      name: senderName(name),
      mailbox: { capacity: mailbox + PEER_WINDOW, whenFull: 'spill' },
      batch: 256,
      places: 'held',
      build: () =>
        senderActor({
          channel: open(),
          storage,
          ...{ room, limiter, circuits, policy, concurrency, timeoutMs, clock },
          drainMs: DRAIN_MS,
          random: Math.random,
          render: (items) => pool.render(name, items),
          attempted: (handout, attempt, verdict) => logAttempt(log, { handout, attempt, verdict }),
          failed: (error) => log.error({ channel: name, error: String(error) }, 'a fault in the sender'),
        }),
    },
    { clock, turns, report: reports(log).cell },
  )
}

/** The table's entries differ in their options; each was given its own by the configuration. */
const kindOf = (name: ChannelName) => CHANNELS[name] as ChannelKind<unknown>

interface Attempted {
  readonly handout: Handout
  readonly attempt: Attempt
  readonly verdict: Settlement['verdict']
}

/** Success is the rule and only of interest when looked for. */
function logAttempt(log: Log, { handout: { id, channel }, attempt, verdict }: Attempted): void {
  const { number, outcome, detail, durationMs, mayDuplicate } = attempt
  const fields = { id, channel, attempt: number, outcome, detail, durationMs: Math.round(durationMs), mayDuplicate }
  switch (verdict.state) {
    case 'sent':
    case 'returned':
      return log.debug(fields, 'delivered')
    case 'pending':
      return log.warn(
        { ...fields, againAt: new Date(verdict.at).toISOString() },
        'a delivery failed and will be tried again',
      )
    case 'dead':
      return log.error({ ...fields, reason: verdict.reason }, 'a delivery is dead')
    default:
      verdict satisfies never
  }
}

interface Rendering {
  readonly pool: RenderPool
  readonly watch: TemplateWatch | undefined
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
  setImmediate(() => {
    for (const warning of trySamples(templates, recognise)) log.warn({}, warning)
  })
  const onChange = (template: ChannelTemplate) => {
    pool.replace(template)
    log.info({ channel: template.channel, file: template.source.file }, 'a template was edited and is in use')
  }
  const onFault = (fault: string) => log.warn({ fault }, 'a template file has a fault; the one in use stays')
  return { pool, watch: settings.watch ? watchTemplates(templates, { onChange, onFault }) : undefined }
}
