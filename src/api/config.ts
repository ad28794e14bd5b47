import { z } from 'zod'
import { jsonObject, type Shape } from './fields.ts'

/** The configuration in force. */
export const EffectiveConfig = z.object({
  config: jsonObject.describe('Nested as in the file; a secret is "set" or ""'),
  origins: z.record(z.string(), z.string()).describe('Dotted path of a value to `file`, `default` or `env NAME`'),
  warnings: z.array(z.string()),
})
export type EffectiveConfig = Shape<typeof EffectiveConfig>
