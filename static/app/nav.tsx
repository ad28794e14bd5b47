import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { signOut } from '../api/session.ts'
import { attention } from '../live/attention.ts'
import { connectionState, stats } from '../live/stats.ts'
import { plural, short } from '../ui/charts/numbers.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Button } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { helpShown } from './keys.ts'
import { href, PAGE_NAMES, PAGES, type Page, route } from './route.ts'

/** Pages without a link of their own, with the page whose link leads there. */
const REACHED_FROM: { readonly [page in Page]?: Page } = { incidents: 'problems', digests: 'noise' }
const LINKED = PAGE_NAMES.filter((page) => REACHED_FROM[page] === undefined)
/** The link to the problems leads to single incidents, too. */
const LINK_NAMES: { readonly [page in Page]?: string } = { problems: 'Incidents' }

/** The links to all pages: a column on wide screens, a drawer behind a menu button on narrow ones. */
export function Nav() {
  const open = useSignal(false)
  const { page } = route.value
  useEffect(() => {
    open.value = false
  }, [page])
  return (
    <>
      <aside class="side stack">
        <Brand />
        <NavLinks />
        <Foot />
      </aside>
      <header class="top">
        <button type="button" class="plain-button" aria-label="Menu" onClick={() => (open.value = true)}>
          <Icon name="menu" size={20} />
        </button>
        <Brand />
        <LiveStatus />
      </header>
      {open.value && (
        <Dialog title="Tocsin" class="drawer" close={() => (open.value = false)}>
          <NavLinks />
          <Foot />
        </Dialog>
      )}
    </>
  )
}

const Brand = () => (
  <a class="brand" href={href('overview')}>
    <svg width="1.5rem" height="1.5rem" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M16 5.5a1.8 1.8 0 0 1 1.8 1.8v.7c3.3.8 5.6 3.6 5.6 7.2v3.2c0 1.5.6 2.7 1.8 3.8.6.6.2 1.5-.6 1.5H7.4c-.8 0-1.2-.9-.6-1.5 1.2-1.1 1.8-2.3 1.8-3.8v-3.2c0-3.6 2.3-6.4 5.6-7.2v-.7A1.8 1.8 0 0 1 16 5.5z" />
      <circle cx="16" cy="26.3" r="2" />
    </svg>
    Tocsin
  </a>
)

function NavLinks() {
  const counts: { readonly [page in Page]?: number } = {
    problems: stats.value?.attention.problems ?? 0,
    noise: stats.value?.attention.storms ?? 0,
    channels: (stats.value?.attention.dead ?? 0) + (stats.value?.attention.open_circuits ?? 0),
  }
  const current = REACHED_FROM[route.value.page] ?? route.value.page
  return (
    <nav class="nav-links stack" aria-label="Pages">
      {LINKED.map((page) => (
        <a key={page} class="nav-link" href={href(page)} aria-current={page === current ? 'page' : undefined}>
          <Icon name={page} />
          <span>{LINK_NAMES[page] ?? PAGES[page].title}</span>
          <Count of={counts[page] ?? 0} page={page} />
        </a>
      ))}
    </nav>
  )
}

const COUNTED: { readonly [page in Page]?: string } = { problems: ' open problems', noise: ' in a storm' }

function Count({ of, page }: { readonly of: number; readonly page: Page }) {
  if (of === 0) return null
  return (
    <span class="nav-count">
      {short(of)}
      <span class="hidden-text">{COUNTED[page] ?? ' need attention'}</span>
    </span>
  )
}

function Foot() {
  return (
    <div class="side-foot stack gap-2">
      <LiveStatus />
      <div class="side-actions">
        <Button look="plain" icon="keys" onPress={() => (helpShown.value = true)}>
          Keys
        </Button>
        <Button look="plain" icon="out" onPress={() => signOut()}>
          Sign out
        </Button>
      </div>
      {stats.value && <p class="quiet tiny version">Version {stats.value.version}</p>}
    </div>
  )
}

const LINK_TEXTS = {
  connecting: ['wait', 'Connecting'],
  live: ['good', 'Live'],
  polling: ['good', 'Polling'],
  lost: ['bad', 'Offline'],
} as const

function LiveStatus() {
  const [look, text] = LINK_TEXTS[connectionState.value]
  const title =
    connectionState.value === 'polling'
      ? 'The WebSocket connection fails. The page polls the service every 2 s instead.'
      : text
  return (
    <span class={`link-state link-${look}`} title={title}>
      {text}
      {attention.value.length > 0 && (
        <span class="hidden-text">, {plural(attention.value.length, 'thing needs', 'things need')} attention</span>
      )}
    </span>
  )
}
