import type { Escaping } from '../../src/domain/delivery/message.ts'
import type { Payload } from '../../src/domain/incident.ts'
import { compile } from '../../src/render/templates/compile.ts'
import type { CompileOptions } from '../../src/render/templates/template.ts'

const NOW = '2025-03-14T15:09:26Z'

export const options = (escaping: Escaping = 'none', more: Partial<CompileOptions> = {}): CompileOptions => ({
  escaping,
  env: (name) => (name === 'REGION' ? 'eu <north>' : undefined),
  now: () => new Date(NOW),
  ...more,
})

interface Rendering {
  readonly escaping?: Escaping
  readonly file?: string
  readonly maxBytes?: number
}

/** Compiles and renders in one step. */
export function render(text: string, payload: unknown = {}, rendering: Rendering = {}): string {
  const { escaping = 'none', file = 'test.tmpl', maxBytes } = rendering
  const more = maxBytes === undefined ? {} : { maxBytes }
  return compile({ file, text }, options(escaping, more))(payload as Payload)
}
