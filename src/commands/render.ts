import { CHANNELS } from '../channels/index.ts'
import { loadConfig } from '../config/load.ts'
import { CHANNEL_NAMES, type ChannelName } from '../domain/delivery/delivery.ts'
import { recognise } from '../intake/recognise.ts'
import { type RenderItem, RenderPool } from '../render/pool/pool.ts'
import { allowedEnvironment, loadTemplates } from '../render/templates/load.ts'
import { visible } from '../text/visible.ts'
import { UsageError } from './command.ts'
import { CONFIG, defineCommand } from './define-command.ts'
import { contentOf, payloadOf } from './payload-file.ts'

export const render = defineCommand({
  name: 'render',
  summary: 'print the message a channel would get for a payload',
  about: `Renders a payload as it would be sent: escaped and cut for the channel. Warnings go to standard error. It sends nothing.`,
  options: {
    channel: { value: 'NAME', description: `one of ${CHANNEL_NAMES.join(', ')}` },
    payload: { value: 'FILE', description: 'a JSON object; - reads standard input' },
    template: { value: 'FILE', description: "a template to use instead of the channel's own" },
    config: CONFIG,
  },
  async run(values) {
    const channel = channelOf(values.channel)
    if (values.payload === undefined) throw new UsageError('--payload FILE is missing')
    const { config } = loadConfig({ file: values.config, env: process.env })
    const item = itemOf(values.payload)
    const { templatePath, agentTemplatePath } = config.alert.channels[channel]
    const own = (item.facts.sender === 'agent' && agentTemplatePath) || templatePath
    const path = values.template ?? own
    const pool = new RenderPool({
      templates: [],
      threads: 1,
      deadlineMs: config.templates.deadlineMs,
      env: allowedEnvironment(config.templates.envAllow, process.env),
      publicHost: config.publicHost,
    })
    try {
      await loadTemplates([{ channel, path, rules: CHANNELS[channel].text }], (template) => pool.use(template))
      const { text, subject, warnings } = await pool.preview(channel, item)
      for (const warning of warnings) console.error(`warning: ${warning}`)
      // A pipe gets the exact message; on a terminal, control characters are made visible.
      const print = process.stdout.isTTY ? visible : (message: string) => message
      if (subject !== undefined) console.log(`Subject: ${print(subject)}`)
      console.log(print(text))
    } finally {
      await pool.close()
    }
    return 0
  },
})

function channelOf(name: string | undefined): ChannelName {
  const channel = CHANNEL_NAMES.find((known) => known === name)
  if (!channel) throw new UsageError(`--channel must be one of ${CHANNEL_NAMES.join(', ')}`)
  return channel
}

function itemOf(file: string): RenderItem {
  const content = contentOf(file)
  const recognised = recognise(payloadOf(content.toString('utf8'), file))
  const known = { id: '00000000-0000-7000-8000-000000000000', source: 'webhook', createdAt: Date.now() } as const
  return { content, facts: { ...recognised, ...known } }
}
