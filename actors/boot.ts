import { isDeepStrictEqual } from 'node:util'
import { CHANNELS } from '../src/channels/index.ts'
import type { TemplateSpec } from '../src/render/library.ts'
import type { Boot, SystemSettings } from './settings.ts'

/** What the threads run with. */
export interface Current {
  readonly settings: SystemSettings
  readonly secrets: readonly string[]
}

export const enabled = ({ alert }: SystemSettings) => Object.values(alert.channels).filter(({ enable }) => enable)

export function bootOf(thread: Boot['thread'], { settings, secrets }: Current): Boot {
  const log = { level: settings.log.level, secrets }
  const channels = enabled(settings)
  const { storage, delivery, templates, publicHost } = settings
  switch (thread) {
    case 'store':
      return { thread, log, storage, channels: channels.map(({ name, mailbox }) => ({ name, mailbox })) }
    case 'send':
      return { thread, log, channels, delivery, templates, publicHost }
    default:
      return thread satisfies never
  }
}

/** Whether one store can serve both; how it logs can be changed while it runs. */
export function storesAlike(one: Current, other: Current): boolean {
  const storeOf = ({ settings }: Current) => ({ ...bootOf('store', { settings, secrets: [] }), log: undefined })
  return isDeepStrictEqual(storeOf(one), storeOf(other))
}

/** The templates that a send thread would be started with. */
export function templateSpecs(settings: SystemSettings): TemplateSpec[] {
  return enabled(settings).map(({ name, templatePath }) => ({
    channel: name,
    path: templatePath,
    rules: CHANNELS[name].text,
  }))
}
