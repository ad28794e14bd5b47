import { CodedError } from '../../../src/domain/errors.ts'
import type { PublicAnswer, PublicRoute } from '../../../src/http/contract.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { textAnswer } from './door.ts'

const OK = textAnswer(200, 'OK')

/** `/-/healthy` and `/-/ready` of Alertmanager, of each replica itself and without a secret. */
export function probeRoutes(settings: () => SystemSettings, ready: () => Promise<readonly string[]>): PublicRoute[] {
  const whenOpen = (answer: () => Promise<PublicAnswer>) => async () => {
    if (!settings().intake.alertmanager.enable) throw new CodedError('not_found')
    return answer()
  }
  async function readiness(): Promise<PublicAnswer> {
    const missing = await ready()
    return missing.length === 0 ? OK : textAnswer(503, `not ready: ${missing.join(', ')}`)
  }
  return [
    { method: 'GET', path: '/-/healthy', answer: whenOpen(async () => OK) },
    { method: 'GET', path: '/-/ready', answer: whenOpen(readiness) },
  ]
}
