import { isDeepStrictEqual } from 'node:util'
import type { ChannelSettings } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { OncallPolicy } from '../../src/domain/oncall.ts'
import { isConfigured } from '../../src/oncall/index.ts'
import type { PolicySettings } from '../../src/policy/decide.ts'
import { mostDestinations } from '../../src/policy/outcome.ts'
import { routeTemplates } from '../../src/policy/route.ts'
import type { TemplateSpec } from '../../src/render/templates/load.ts'
import type { FallbackRules } from '../../src/store/noise/fallbacks.ts'
import type { JournalQuota } from '../messages/journal-queries.ts'
import type { Boot, OncallSettings, SystemSettings } from './settings.ts'

/** The settings that the threads run with, and the texts that no log line may hold. */
export interface RunningConfig {
  readonly settings: SystemSettings
  readonly secrets: readonly string[]
}

export const enabledChannels = ({ alert }: SystemSettings) =>
  Object.values(alert.channels).filter(({ enable }) => enable)

/** Threads whose boot settings follow from the configuration alone. A front also needs main's routes. */
export type ConfiguredThread = Exclude<Boot['thread'], 'front'>

/** Names of the threads that serve a front, main first. `threads`: `http.threads`. */
export const frontNames = (threads: number): string[] =>
  Array.from({ length: threads }, (_, nth) => (nth === 0 ? 'main' : `front-${nth + 1}`))

export function bootOf(thread: ConfiguredThread, { settings, secrets }: RunningConfig): Boot {
  const log = { level: settings.log.level, secrets }
  const channels = enabledChannels(settings)
  const { storage, delivery, templates, publicHost } = settings
  const oncall = oncallOf(settings)
  switch (thread) {
    case 'journal':
      return {
        thread,
        log,
        dataDir: storage.dataDir,
        ...(storage.type === 'postgres' && { postgres: storage.postgres }),
        fronts: frontNames(settings.http.threads),
        quota: quotaOf(settings),
      }
    case 'store': {
      const storeChannels = channels.map(({ name, mailbox, rate, storm }) => ({
        name,
        mailbox,
        threads: CHANNELS[name].threads === true,
        storm: {
          enable: storm.enable,
          rate,
          reading: storm.rate,
          withinMs: storm.withinMs,
          edits: CHANNELS[name].edits === true,
        },
      }))
      const policy = policySettings(settings)
      const { dispatchesPerIncident } = quotaOf(settings)
      const fallbacks = fallbacksOf(settings)
      return {
        ...{
          thread,
          log,
          storage,
          channels: storeChannels,
          policy,
          fallbacks,
          repeats: settings.noise.repeats,
          flapping: settings.noise.flapping,
          heartbeats: settings.heartbeats,
          slo: settings.slo,
          silences: settings.silences,
          dispatchesPerIncident,
        },
        ...(oncall && { oncall: policyOf(oncall) }),
      }
    }
    case 'send': {
      const { dataDir } = storage
      const disabledTemplates = specsOf(Object.values(settings.alert.channels).filter(({ enable }) => !enable))
      return {
        thread,
        log,
        channels,
        enabledTemplates: templateSpecs(settings),
        disabledTemplates,
        delivery,
        templates,
        publicHost,
        acknowledgeLinks: oncall !== undefined && mayPage(settings),
        dataDir,
        ...sharedBy(storage),
        ...(oncall && { oncall }),
      }
    }
    case 'agent':
      return { thread, log, agent: settings.agent, dataDir: storage.dataDir, ...sharedBy(storage) }
    default:
      return thread satisfies never
  }
}

const sharedBy = (storage: SystemSettings['storage']) =>
  storage.type === 'postgres' ? { postgres: storage.postgres } : {}

/**
 * Returns undefined when the provider lacks a key. With a provider and `enable: false`, only requests that ask for it
 * page.
 */
function oncallOf({ oncall }: SystemSettings): OncallSettings | undefined {
  return isConfigured(oncall) ? oncall : undefined
}

const mayPage = ({ oncall, routes }: SystemSettings) =>
  oncall.enable || routes.some((rule) => rule.oncall?.enable === true)

const policyOf = ({ enable, waitMs, provider }: OncallSettings): OncallPolicy => ({ enable, waitMs, provider })

function fallbacksOf(settings: SystemSettings): FallbackRules {
  const destinations = enabledChannels(settings).flatMap(({ name, onFailure }) =>
    onFailure ? [[name, onFailure]] : [],
  )
  return { destinations: Object.fromEntries(destinations), afterMs: settings.delivery.failoverAfterMs }
}

/** Returns what decides where incidents go. */
export function policySettings(settings: SystemSettings): PolicySettings {
  const { routes, schedules } = settings
  const oncall = oncallOf(settings)
  const channels = enabledChannels(settings).map(({ name }) => name)
  return { routes, schedules, channels, ...(oncall && { oncall: policyOf(oncall) }) }
}

/** Returns the quota of the journal: an incident counts as many dispatches as it can become. */
export function quotaOf(settings: SystemSettings): JournalQuota {
  const pages = oncallOf(settings) === undefined ? 0 : 1
  return {
    maxBacklog: settings.storage.maxBacklog,
    dispatchesPerIncident: mostDestinations(policySettings(settings)) + pages,
  }
}

/** Returns whether the store thread can go on with the other configuration. How it logs changes without a restart. */
export function sameStoreBoot(one: RunningConfig, other: RunningConfig): boolean {
  const storeOf = ({ settings }: RunningConfig) => ({ ...bootOf('store', { settings, secrets: [] }), log: undefined })
  return isDeepStrictEqual(storeOf(one), storeOf(other))
}

/** Returns whether the agent thread can go on with the other configuration. */
export function sameAgentBoot(one: RunningConfig, other: RunningConfig): boolean {
  return isDeepStrictEqual(bootOf('agent', one), bootOf('agent', other))
}

/**
 * Returns the templates of the enabled channels, and of the rules and the log agent for them, so that a reload can check them before
 * anything is stopped.
 */
export function templateSpecs(settings: SystemSettings): TemplateSpec[] {
  const ofRoutes = routeTemplates(settings.routes).filter(({ channel }) => settings.alert.channels[channel].enable)
  return [
    ...specsOf(enabledChannels(settings)),
    ...ofRoutes.map((each): TemplateSpec => ({ ...each, rules: CHANNELS[each.channel].text, only: 'route' })),
    ...ofAgent(enabledChannels(settings)),
  ]
}

const ofAgent = (channels: readonly ChannelSettings[]): TemplateSpec[] =>
  channels
    .filter(({ agentTemplatePath }) => agentTemplatePath !== '')
    .map(({ name, agentTemplatePath: path }) => ({ channel: name, path, rules: CHANNELS[name].text, only: 'agent' }))

const specsOf = (channels: readonly ChannelSettings[]): TemplateSpec[] =>
  channels.map(({ name, templatePath }) => ({ channel: name, path: templatePath, rules: CHANNELS[name].text }))
