import { Dialog } from '../ui/dialog.tsx'
import { helpShown, pageKeys } from './keys.ts'
import { PAGES } from './route.ts'

const EVERYWHERE: readonly (readonly [keys: readonly string[], description: string])[] = [
  [['/'], 'Search this page'],
  [['?'], 'Show this list'],
  [['Esc'], 'Leave a field, close a dialog'],
]

const JUMPS = Object.values(PAGES).filter(({ key }) => key !== '')

/** A dialog that lists the keys of the current page and those of all pages. */
export function Help() {
  if (!helpShown.value) return null
  const close = () => {
    helpShown.value = false
  }
  return (
    <Dialog title="Keys" class="help" close={close}>
      <div class="help-columns">
        {pageKeys.value.length > 0 && (
          <KeyList
            title="On this page"
            keys={pageKeys.value.map(({ key, description }) => [[shown(key)], description])}
          />
        )}
        <KeyList title="Everywhere" keys={EVERYWHERE} />
        <KeyList title="Go to" keys={JUMPS.map(({ key, title }) => [['g', key], title])} />
      </div>
    </Dialog>
  )
}

const shown = (key: string) => (key === ' ' ? 'Space' : key === 'Escape' ? 'Esc' : key)

interface KeyListProps {
  readonly title: string
  readonly keys: readonly (readonly [keys: readonly string[], description: string])[]
}

const KeyList = ({ title, keys }: KeyListProps) => (
  <section>
    <h3>{title}</h3>
    <dl class="keys">
      {keys.map(([names, description]) => (
        <div key={names.join()}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
  </section>
)
