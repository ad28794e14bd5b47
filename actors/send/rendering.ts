import type { ChannelKind } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import { RenderPool } from '../../src/render/pool/pool.ts'
import { allowedEnvironment } from '../../src/render/templates/environment.ts'
import { loadTemplates } from '../../src/render/templates/load.ts'
import { sampleWarnings } from '../../src/render/templates/sample-warnings.ts'
import type { ChannelTemplate } from '../../src/render/templates/template.ts'
import { type TemplateWatch, watchTemplates } from '../../src/render/templates/watch.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { SendBoot } from '../wiring/settings.ts'

/**
 * The kind of a channel. Each channel's options were checked against its own kind when the configuration was loaded.
 */
export const kindOf = (name: ChannelName) => CHANNELS[name] as ChannelKind<unknown>

interface Rendering {
  readonly pool: RenderPool
  /** Undefined without `templates.watch`. */
  readonly watch: TemplateWatch | undefined
  /**
   * Renders sample payloads with every template and logs a warning for each that fails; then shrinks the heap. Blocks
   * for some milliseconds.
   */
  tryTemplates(): void
}

/**
 * Loads the templates of the enabled channels and starts the render pool. Throws `template_invalid` when a template
 * cannot be parsed.
 */
export function startRendering({ channels, templates: settings, publicHost }: SendBoot, log: Log): Rendering {
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
    onFallback: (channel, error) =>
      log.warn({ channel, error }, 'a template failed; the message went out as plain text'),
  })
  const tryTemplates = () => {
    for (const warning of sampleWarnings(templates, recognise)) log.warn({}, warning)
    shrinkHeap()
  }
  const onChange = (template: ChannelTemplate) => {
    pool.replace(template)
    log.info({ channel: template.channel, file: template.source.file }, 'a template was edited and is in use')
  }
  const onError = (error: string) =>
    log.warn({ error }, 'an edited template has an error; the old version stays in use')
  return {
    pool,
    tryTemplates,
    watch: settings.watch ? watchTemplates(templates, { onChange, onError }) : undefined,
  }
}
