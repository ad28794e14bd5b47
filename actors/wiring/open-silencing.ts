import type { CompileSilence } from '../../src/policy/silences/settings.ts'

/** Loads the compiler of silences: regular expressions and time zones. Most installations have none. */
export async function openSilencing(): Promise<CompileSilence> {
  const [{ compileSilence }, { labelsOf }, { firingAlerts }] = await Promise.all([
    import('../../src/policy/silences/silence.ts'),
    import('../../src/intake/labels.ts'),
    import('../../src/intake/firing-alerts.ts'),
  ])
  return (settings) => compileSilence(settings, { labelsOf, alertsOf: firingAlerts })
}
