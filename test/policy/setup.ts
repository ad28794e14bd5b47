import { openDecide, type PolicySettings } from '../../src/policy/decide.ts'
import type { Decide } from '../../src/policy/decision.ts'
import type { LabelsOf, Subject } from '../../src/policy/fields.ts'
import { load } from '../config/setup.ts'

/** 23 November 2026, 12:00 UTC, a Monday. */
export const NOON = Date.UTC(2026, 10, 23, 12)

export function subjectOf(over: Partial<Subject> & { readonly payload?: object } = {}): Subject {
  const { payload = {}, ...rest } = over
  return {
    sender: 'custom',
    source: 'webhook',
    title: 'Disk is full',
    service: 'storage',
    severity: 'critical',
    status: 'firing',
    fingerprint: 'custom:disk',
    content: Buffer.from(JSON.stringify(payload)),
    ...rest,
  }
}

/** Labels of test payloads: a list under `alerts`, or one map under `labels`. */
export const labelsOf: LabelsOf = (_sender, { alerts, labels }) =>
  Array.isArray(alerts)
    ? alerts.map((alert) => [alert])
    : labels === undefined
      ? []
      : [[labels as object as { [name: string]: unknown }]]

/** Reads rules and schedules as the configuration does. */
export function settingsOf(yaml: string): PolicySettings {
  const { config } = load(yaml)
  const { enable, waitMs, provider } = config.oncall
  const channels = Object.values(config.alert.channels).filter((channel) => channel.enable)
  return {
    routes: config.routes,
    schedules: config.schedules,
    channels: channels.map(({ name }) => name),
    oncall: { enable, waitMs, provider },
    ...(config.noise.group && { group: config.noise.group }),
  }
}

export const CHANNELS = `
oncall: { enable: true, provider: pagerduty, pagerduty: { routing_key: k, other_routing_keys: { shop: k2 } } }
alert:
  chatws: { enable: true, token: t, channel_id: C0, other_channel_ids: { payments: C1, ops: C2 } }
  msgapp: { enable: true, token: t, channel_id: "1" }
  email: { enable: true, smtp_host: mx, to: a@example.com, from: b@example.com, other_recipients: { team: c@example.com } }
`

export const decideOf = (routes: string): Decide => openDecide(settingsOf(`${CHANNELS}${routes}`), labelsOf)
