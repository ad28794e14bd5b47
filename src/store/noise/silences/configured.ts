import type { CompileSilence, SilenceSettings } from '../../../policy/silences/settings.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { LiveSilence } from './live.ts'
import { isSameSilence, jsonOf, type SilenceRows } from './rows.ts'

interface ConfiguredDeps {
  readonly rows: Pick<SilenceRows, 'wasFinished'>
  readonly compile: CompileSilence
  add(settings: SilenceSettings): void
  change(live: LiveSilence, settings: SilenceSettings): void
  /** Opens and closes all windows that are due. */
  tick(): OncallChange[]
  /** Ends a silence that is live still. */
  finish(id: number): void
}

/**
 * Opens the following of the configuration. A silence whose conditions were changed ends, and a new one begins. Those
 * that begin go first: what one holds on for another is told by neither. Inside `write`.
 */
export function openConfigured({ counts, now }: Pick<StoreContext, 'counts' | 'now'>, deps: ConfiguredDeps) {
  /** A window is open, or comes. */
  function hasWindows(settings: SilenceSettings): boolean {
    const { active, until } = deps.compile(settings).windowAt(now())
    return active || until < Infinity
  }

  return function follow(configured: readonly SilenceSettings[]): OncallChange[] {
    const own = counts.silences.all.filter(({ origin }) => origin === 'config')
    const wantedOf = ({ settings }: LiveSilence) => configured.find((each) => isSameSilence(each, settings))
    for (const live of own) {
      const wanted = wantedOf(live)
      if (wanted !== undefined && jsonOf(wanted) !== jsonOf(live.settings)) deps.change(live, wanted)
    }
    for (const settings of configured) {
      const isKnown = own.some((live) => wantedOf(live) === settings)
      if (!isKnown && hasWindows(settings) && !deps.rows.wasFinished(settings)) deps.add(settings)
    }
    const changes = deps.tick()
    for (const live of own) if (wantedOf(live) === undefined) deps.finish(live.id)
    return changes
  }
}
