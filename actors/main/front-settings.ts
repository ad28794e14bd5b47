import { targetsOf } from '../../src/channels/index.ts'
import type { FrontSettings } from '../../src/http/contract.ts'
import { isConfigured } from '../../src/oncall/index.ts'
import { jsonPrinter } from '../../src/telemetry/log.ts'
import type { OncallSettings, SystemSettings } from '../wiring/settings.ts'

/** Settings of a front: limits, secrets, and what the parameters of a request may choose. */
export function frontSettings({ http, alert, gatewaySecret, oncall, oncallRules }: SystemSettings): FrontSettings {
  const pager = isConfigured(oncall) ? oncall.provider : undefined
  const ofChannels = Object.values(alert.channels).flatMap((channel) => {
    const targets = targetsOf(channel)
    return targets === undefined ? [] : [[channel.name, { ...targets, enabled: channel.enable }] as const]
  })
  const ofProviders = Object.entries(providerTargets(oncall)).map(
    ([name, targets]) => [name, { ...targets, enabled: name === pager }] as const,
  )
  return {
    maxBodyBytes: http.maxBodyBytes,
    intakeToken: http.intakeToken,
    gatewaySecret,
    parameters: {
      targets: Object.fromEntries([...ofChannels, ...ofProviders]),
      ...(pager !== undefined || oncallRules ? { pager: pager ?? 'escalations' } : {}),
      strict: http.strictParameters,
    },
    ...(alert.debugBody ? { onPayload: jsonPrinter() } : {}),
  }
}

/** Returns the other destinations of the on-call providers. Routing keys are secrets: only their names choose them. */
function providerTargets({ pagerduty, incidentIo, awsIncidentManager: aws, servicenow }: OncallSettings) {
  const { alertSourceConfigId, otherAlertSourceConfigIds: others } = incidentIo
  return {
    pagerduty: { names: [...pagerduty.otherRoutingKeys.keys()], ids: new Map() },
    incident_io: {
      names: [...others.keys()],
      ids: idsOf(others, alertSourceConfigId),
    },
    aws_incident_manager: {
      names: [...aws.otherResponsePlanArns.keys()],
      ids: idsOf(aws.otherResponsePlanArns, aws.responsePlanArn),
    },
    servicenow: { names: [...servicenow.otherInstanceUrls.keys()], ids: new Map() },
  }
}

/** Returns the names of destinations by their ids; null for the default one. */
function idsOf(others: ReadonlyMap<string, string>, main: string): Map<string, string | null> {
  return new Map<string, string | null>([...Array.from(others, ([name, id]) => [id, name] as const), [main, null]])
}
