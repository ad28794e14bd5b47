import type { PolicySettings } from '../../src/policy/decide.ts'
import type { Decide } from '../../src/policy/decision.ts'
import { openDefaultDecide } from '../../src/policy/default.ts'

/** Opens `decide`. The code of rules is loaded only when there are some: most installations have none. */
export async function openPolicy(settings: PolicySettings): Promise<Decide> {
  if (settings.routes.length === 0) return openDefaultDecide(settings)
  const [{ openDecide }, { labelsOf }] = await Promise.all([
    import('../../src/policy/decide.ts'),
    import('../../src/intake/labels.ts'),
  ])
  return openDecide(settings, labelsOf)
}
