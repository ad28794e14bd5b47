import { templateSpecs } from '../wiring/boot.ts'
import type { SystemSettings } from '../wiring/settings.ts'

/** Compiles all templates. Rejects with `template_invalid`. */
export async function checkTemplates(settings: SystemSettings): Promise<void> {
  const [{ check }, { loadTemplates }] = await Promise.all([
    import('../../src/render/templates/compile.ts'),
    import('../../src/render/templates/load.ts'),
  ])
  await loadTemplates(templateSpecs(settings), ({ source }) => check(source))
}
