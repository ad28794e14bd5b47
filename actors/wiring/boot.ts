import { isDeepStrictEqual } from 'node:util'
import type { ChannelSettings } from '../../src/channels/channel.ts'
import { answersModeOf, CHANNELS, withAddresses } from '../../src/channels/index.ts'
import type { EscalationPolicy, OncallPolicy } from '../../src/domain/oncall.ts'
import { isConfigured } from '../../src/oncall/index.ts'
import { withKeys } from '../../src/oncall/options.ts'
import type { PolicySettings } from '../../src/policy/decide.ts'
import { mostDestinations } from '../../src/policy/outcome.ts'
import { routeTemplates } from '../../src/policy/route.ts'
import type { PostgresSettings } from '../../src/postgres/settings.ts'
import type { TemplateSpec } from '../../src/render/templates/load.ts'
import type { FallbackRules } from '../../src/store/noise/fallbacks.ts'
import type { LogSettings } from '../../src/telemetry/log.ts'
import type { JournalQuota } from '../messages/journal-queries.ts'
import type { FrontBoot, OncallSettings, SharedMemory, StorageSettings, SystemSettings } from './settings.ts'

/** The settings that the threads run with, and the texts that no log line may hold. */
export interface RunningConfig {
  readonly settings: SystemSettings
  readonly secrets: readonly string[]
}

export const enabledChannels = ({ alert }: SystemSettings) =>
  Object.values(alert.channels).filter(({ enable }) => enable)

/** Names of the enabled channels whose messages have buttons. */
const answeringChannels = (settings: SystemSettings) =>
  enabledChannels(settings).flatMap((channel) => (answersModeOf(channel) === 'off' ? [] : [channel.name]))

/** Names of the threads that serve a front, main first. `threads`: `http.threads`. */
export const frontNames = (threads: number): string[] =>
  Array.from({ length: threads }, (_, nth) => (nth === 0 ? 'main' : `front-${nth + 1}`))

export type JournalBoot = ReturnType<typeof journalBoot>

function journalBoot(config: RunningConfig) {
  const { storage, http } = config.settings
  return {
    thread: 'journal' as const,
    log: logOf(config),
    dataDir: storage.dataDir,
    // Without it the journal is in files of `dataDir`.
    ...sharedBy(storage),
    /** The threads that accept incidents. A `Commit` names its front by the index in this list. */
    fronts: frontNames(http.threads),
    quota: quotaOf(config.settings),
  }
}

export type StoreBoot = ReturnType<typeof storeBoot>

export function storeBoot(config: RunningConfig) {
  const { settings } = config
  const { storage, noise, heartbeats, slo, silences, oncallRules: escalations, oncallSchedules, people } = settings
  const oncall = oncallOf(settings)
  const answering = answeringChannels(settings)
  return {
    thread: 'store' as const,
    log: logOf(config),
    storage,
    channels: enabledChannels(settings).map(({ name, mailbox, rate, storm: { enable, rate: reading, withinMs } }) => ({
      name,
      mailbox,
      threads: CHANNELS[name].threads === true,
      answering: answering.includes(name),
      storm: { enable, rate, reading, withinMs, edits: CHANNELS[name].edits === true },
    })),
    policy: policySettings(settings),
    fallbacks: fallbacksOf(settings),
    ...noise,
    heartbeats,
    slo,
    silences,
    /** Messages about a problem that an answer edits, for each destination. */
    copies: settings.answers.copies,
    /** The most that one incident can become. */
    dispatchesPerIncident: quotaOf(settings).dispatchesPerIncident,
    pager: hasPager(settings),
    ...(oncall && { oncall: policyOf(oncall) }),
    ...(settings.brief.enable && { brief: settings.brief }),
    // Without escalations nothing of them is loaded.
    ...(escalations && { escalations }),
    ...(oncallSchedules.size > 0 && { schedules: { schedules: oncallSchedules, people } }),
  }
}

/** A link proves nobody, so there are none where only people of the list may answer. */
export const hasAnswerLinks = ({ answers }: Pick<SystemSettings, 'answers'>): boolean =>
  answers.links && answers.allow === 'everybody'

export type SendBoot = ReturnType<typeof sendBoot>

function sendBoot(config: RunningConfig) {
  const { settings } = config
  const { storage, delivery, templates, publicHost, oncallRules, personal, oncallGateways: gateways } = settings
  const oncall = oncallOf(settings)
  return {
    thread: 'send' as const,
    log: logOf(config),
    channels: enabledChannels(settings).map((channel) => {
      const addresses = personal?.channels.get(channel.name)
      return addresses ? withAddresses(channel, addresses) : channel
    }),
    enabledTemplates: templateSpecs(settings),
    /** Templates of the channels that are not enabled; only previews use them. */
    disabledTemplates: specsOf(Object.values(settings.alert.channels).filter(({ enable }) => !enable)),
    delivery,
    templates,
    publicHost,
    /** Channels from whose messages people answer, and the buttons that these carry. */
    answering: answeringChannels(settings),
    buttons: settings.answers.buttons,
    /** Every message carries a link to a page with the buttons. */
    answerLinks: hasAnswerLinks(settings),
    /** Every message carries a link to acknowledge: all incidents may page, those of a rule, or by an escalation. Else those that page do. */
    acknowledgeLinks: oncallRules !== undefined || (oncall !== undefined && mayPage(settings)),
    /** Directory with the key that signs acknowledge links, unless the database holds it. */
    dataDir: storage.dataDir,
    ...sharedBy(storage),
    ...(oncall && { oncall: personal ? withKeys(oncall, personal.provider) : oncall }),
    ...(oncallRules && { escalations: { people: oncallRules.people, gateways } }),
    pager: hasPager(settings),
  }
}

export type AgentBoot = ReturnType<typeof agentBoot>

function agentBoot(config: RunningConfig) {
  const { agent, storage } = config.settings
  // Its files are in the directory, unless the database holds them.
  return { thread: 'agent' as const, log: logOf(config), agent, dataDir: storage.dataDir, ...sharedBy(storage) }
}

/** Threads whose boot settings follow from the configuration alone. A front also needs main's routes. */
const BOOTS = { journal: journalBoot, store: storeBoot, send: sendBoot, agent: agentBoot }
export type ConfiguredThread = keyof typeof BOOTS

/** Boot settings of a worker thread. */
export type Boot = ReturnType<(typeof BOOTS)[ConfiguredThread]> | FrontBoot

/** Boot settings with the shared memory, and the term of the lease at the start of the thread. */
export type BootWithMemory = Boot & SharedMemory & { readonly term: number }

export const bootOf = (thread: ConfiguredThread, config: RunningConfig): Boot => BOOTS[thread](config)

const logOf = ({ settings, secrets }: RunningConfig): LogSettings => ({ level: settings.log.level, secrets })

/** Returns the database that replicas share. */
const sharedBy = (storage: SystemSettings['storage']): { readonly postgres?: PostgresSettings } =>
  storage.type === 'postgres' ? { postgres: storage.postgres } : {}

/**
 * Returns undefined when the provider lacks a key. With a provider and `enable: false`, only requests that ask for it
 * page.
 */
function oncallOf({ oncall }: SystemSettings): OncallSettings | undefined {
  return isConfigured(oncall) ? oncall : undefined
}

/** Without a provider and a gateway there is no pager. */
const hasPager = ({ oncall, oncallRules, oncallGateways }: SystemSettings): boolean =>
  isConfigured(oncall) || (oncallRules !== undefined && oncallGateways.size > 0)

const mayPage = ({ oncall, routes }: SystemSettings) =>
  oncall.enable || routes.some((rule) => rule.oncall?.enable === true)

const policyOf = ({ enable, waitMs, provider }: OncallSettings): OncallPolicy => ({ enable, waitMs, provider })

/** Returns undefined without escalations. */
function escalationsOf({ oncall: { enable }, oncallRules }: SystemSettings): EscalationPolicy | undefined {
  if (oncallRules === undefined) return undefined
  const { escalation, escalations } = oncallRules
  const waits = new Map(Array.from(escalations, ([name, { steps }]) => [name, steps[0]?.afterMs ?? 0]))
  return { enable, waits, ...(escalation !== undefined && { escalation }) }
}

function fallbacksOf(settings: SystemSettings): FallbackRules {
  const destinations = enabledChannels(settings).flatMap(({ name, onFailure }) =>
    onFailure ? [[name, onFailure]] : [],
  )
  return { destinations: Object.fromEntries(destinations), afterMs: settings.delivery.failoverAfterMs }
}

/** Returns what decides where incidents go. */
export function policySettings(settings: SystemSettings): PolicySettings {
  const { routes, schedules, noise } = settings
  const oncall = oncallOf(settings)
  const escalate = escalationsOf(settings)
  const channels = enabledChannels(settings).map(({ name }) => name)
  return {
    ...{ routes, schedules, channels },
    ...(oncall && { oncall: policyOf(oncall) }),
    ...(escalate && { escalate }),
    ...(noise.group && { group: noise.group }),
  }
}

/** Returns the quota of the journal: an incident counts as many dispatches as it can become. */
export function quotaOf(settings: SystemSettings): JournalQuota {
  const pages = (oncallOf(settings) ?? settings.oncallRules) === undefined ? 0 : 1
  return {
    maxBacklog: settings.storage.maxBacklog,
    dispatchesPerIncident: mostDestinations(policySettings(settings)) + pages,
  }
}

/** Returns whether the store thread can go on with the other configuration. How it logs changes without a restart. */
export function sameStoreBoot(one: RunningConfig, other: RunningConfig): boolean {
  const storeOf = (config: RunningConfig) => ({ ...storeBoot(config), log: undefined })
  return isDeepStrictEqual(storeOf(one), storeOf(other))
}

/** Returns whether the agent thread can go on with the other configuration. */
export function sameAgentBoot(one: RunningConfig, other: RunningConfig): boolean {
  return isDeepStrictEqual(agentBoot(one), agentBoot(other))
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

/** Returns the milliseconds in which the outcome of a commit has to be known. */
export const answerWithinMs = (storage: StorageSettings): number =>
  storage.type === 'postgres' ? storage.postgres.commitTimeoutMs : Infinity
