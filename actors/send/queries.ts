import type { TemplateText } from '../../src/api/templates.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { RenderPool } from '../../src/render/pool/pool.ts'
import { readSource } from '../../src/render/templates/load.ts'
import type { ChannelTemplate } from '../../src/render/templates/template.ts'
import type { Answers } from '../messages/query.ts'
import type { SendQueries } from '../messages/send-queries.ts'
import type { SendBoot } from '../wiring/boot.ts'
import type { AckKey } from './ack-key.ts'
import type { Sender } from './sender-cell.ts'
import type { TestPageDeps } from './test-page.ts'

interface SendAnswersDeps {
  readonly senders: readonly Sender[]
  readonly pool: Pick<RenderPool, 'preview' | 'templates'>
  readonly disabledTemplates: SendBoot['disabledTemplates']
  readonly ackKey: Pick<AckKey, 'existing' | 'open'>
  readonly testing: TestPageDeps
}

/** Answers the questions to the send thread. */
export function sendAnswers({
  senders,
  pool,
  disabledTemplates,
  ackKey,
  testing,
}: SendAnswersDeps): Answers<SendQueries> {
  const senderOf = (name: ChannelName) => senders.find(({ channel }) => channel === name)
  return {
    preview({ channel, item, template }) {
      const ofAgent = item.facts.sender === 'agent' ? pool.templates().find(isFor(channel, 'agent')) : undefined
      const own = template === undefined && ofAgent !== undefined ? { ...item, template: ofAgent.source.file } : item
      return pool.preview(disabledTemplate(channel, disabledTemplates) ?? channel, own, template)
    },
    templates: () => [...ownTemplates(pool).map((each) => textOf(each, true)), ...disabledTexts(disabledTemplates)],
    senders: () => senders.map((sender) => sender.state()),
    ackKey: () => ackKey.existing(),
    openAckKey: () => ackKey.open(),
    pause: ({ channel, paused }) => senderOf(channel)?.pause(paused),
    testMessage({ channel, target }) {
      const sender = senderOf(channel)
      if (!sender) throw new CodedError('bad_parameter', `the channel ${channel} is not enabled`)
      return sender.sendTestMessage(target)
    },
    testPage: async (query) => (await import('./test-page.ts')).testPage(testing, query),
  }
}

const isFor = (channel: ChannelName, only: ChannelTemplate['only']) => (each: ChannelTemplate) =>
  each.channel === channel && each.only === only

/** Templates of the pool are named after their channels. */
const textOf = ({ channel, source: { file, text } }: ChannelTemplate, enabled: boolean): TemplateText => ({
  channel: channel as ChannelName,
  file,
  text,
  enabled,
})

/**
 * Reads the template of a channel that is not enabled; undefined: the channel is enabled. Throws `template_invalid`
 * when the file cannot be read.
 */
function disabledTemplate(
  channel: string,
  disabledTemplates: SendBoot['disabledTemplates'],
): ChannelTemplate | undefined {
  const spec = disabledTemplates.find((each) => each.channel === channel)
  return spec && { channel, source: readSource(spec.path), rules: spec.rules }
}

/** Leaves out templates that cannot be read: an error in a template that is not in use is no failure of the list. */
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

/** Returns the templates of channels; those for some incidents are read where their paths stand. */
const ownTemplates = (pool: Pick<RenderPool, 'templates'>) => pool.templates().filter(({ only }) => !only)
