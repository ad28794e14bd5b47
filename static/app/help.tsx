import { Dialog } from '../ui/dialog.tsx'
import { helpShown, JUMPS, pageKeys } from './keys.ts'
import { TITLES } from './nav.tsx'

const EVERYWHERE: readonly (readonly [keys: readonly string[], says: string])[] = [
  [['/'], 'Search on this page'],
  [['?'], 'Show these keys'],
  [['Esc'], 'Leave a field, close what is in front'],
]

/** The list of keys. */
export function Help() {
  if (!helpShown.value) return null
  const close = () => {
    helpShown.value = false
  }
  return (
    <Dialog title="Keys" class="help" close={close}>
      <div class="help-columns">
        {pageKeys.value.length > 0 && (
          <Keys title="On this page" keys={pageKeys.value.map(({ key, says }) => [[shown(key)], says])} />
        )}
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="Go to" keys={JUMPS.map(([key, page]) => [['g', key], TITLES[page]])} />
      </div>
    </Dialog>
  )
}

const shown = (key: string) => (key === ' ' ? 'Space' : key === 'Escape' ? 'Esc' : key)

interface KeysProps {
  readonly title: string
  readonly keys: readonly (readonly [keys: readonly string[], says: string])[]
}

const Keys = ({ title, keys }: KeysProps) => (
  <section>
    <h3>{title}</h3>
    <dl class="keys">
      {keys.map(([names, says]) => (
        <div key={names.join()}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{says}</dd>
        </div>
      ))}
    </dl>
  </section>
)
