import { CodedError } from '../../src/domain/errors.ts'
import { RenderPool } from '../../src/render/pool/pool.ts'
import { allowedEnvironment, loadTemplates } from '../../src/render/templates/load.ts'
import { type TemplateWatch, watchTemplates } from '../../src/render/templates/watch.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { errorText } from '../../src/text/error-text.ts'
import type { SendBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'

/** Starts the render pool, without a template. */
export function openPool(
  { templates: settings, publicHost }: SendBoot,
  { log, clock }: Pick<ThreadDeps, 'log' | 'clock'>,
): RenderPool {
  return new RenderPool({
    templates: [],
    threads: settings.threads,
    deadlineMs: settings.deadlineMs,
    env: allowedEnvironment(settings.envAllow, process.env),
    publicHost,
    now: () => clock.now(),
    onFallback: (channel, error) =>
      log.warn({ channel, error }, 'a template failed; the message went out as plain text'),
  })
}

/**
 * Resolves when a render thread has compiled the templates of the enabled channels. Returns the watch over their files;
 * undefined without `templates.watch`. Rejects with `template_invalid` when a template cannot be parsed.
 */
export async function useTemplates(pool: RenderPool, boot: SendBoot, log: Log): Promise<TemplateWatch | undefined> {
  const templates = await loadTemplates(boot.enabledTemplates, (template) => pool.use(template))
  if (!boot.templates.watch) return undefined
  return watchTemplates(templates, {
    async onChange(template) {
      await pool.use(template)
      log.info({ channel: template.channel, file: template.source.file }, 'a template was edited and is in use')
    },
    onError: (error) => log.warn({ error }, 'an edited template has an error; the old version stays in use'),
  })
}

/**
 * Renders sample payloads with every template, one after the other and beside the real items. Logs a warning for each
 * text that failed, is empty or is too long. Ends when the pool is closed.
 */
export async function trySamples(pool: RenderPool, log: Log): Promise<void> {
  try {
    const [{ recognise }, { sampleWarnings }] = await Promise.all([
      import('../../src/intake/recognise.ts'),
      import('../../src/render/templates/check-warnings.ts'),
    ])
    for await (const warning of sampleWarnings(pool, recognise)) log.warn({}, warning)
  } catch (error) {
    if (error instanceof CodedError && error.code === 'shutting_down') return
    log.error({ error: errorText(error) }, 'the templates could not be tried with samples')
  }
}
