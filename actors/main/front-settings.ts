import { targetsOf } from '../../src/channels/index.ts'
import type { FrontSettings } from '../../src/http/contract.ts'
import { jsonPrinter } from '../../src/telemetry/log.ts'
import type { SystemSettings } from '../wiring/settings.ts'

/** Settings of a front: limits, secrets, and the names that overrides in a request may choose among. */
export function frontSettings({ http, alert, gatewaySecret, oncall }: SystemSettings): FrontSettings {
  return {
    maxBodyBytes: http.maxBodyBytes,
    intakeToken: http.intakeToken,
    gatewaySecret,
    knownTargets: Object.fromEntries([
      ...Object.values(alert.channels).flatMap(({ name, options }) => {
        const targets = targetsOf(options)
        return targets ? [[name, targets]] : []
      }),
      ['incident_io', [...oncall.incidentIo.otherAlertSourceConfigIds.keys()]],
    ]),
    knownRoutingKeys: [...oncall.pagerduty.otherRoutingKeys.keys()],
    ...(alert.debugBody ? { onPayload: jsonPrinter() } : {}),
  }
}
