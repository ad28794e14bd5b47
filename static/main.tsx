import { effect } from '@preact/signals'
import { render } from 'preact'
import { signedIn } from './api/session.ts'
import { Help } from './app/help.tsx'
import { listenForKeys } from './app/keys.ts'
import { Nav } from './app/nav.tsx'
import { Notices } from './app/notices.tsx'
import { PAGES, type Page, route } from './app/route.ts'
import { SignIn } from './app/signin.tsx'
import { attention } from './live/attention.ts'
import { followStats } from './live/stats.ts'
import { AgentPage } from './pages/agent/page.tsx'
import { ChannelsPage } from './pages/channels/page.tsx'
import { ConfigPage } from './pages/config/page.tsx'
import { DigestPage } from './pages/digests/page.tsx'
import { HeartbeatsPage } from './pages/heartbeats/page.tsx'
import { IncidentsPage } from './pages/incidents/page.tsx'
import { NoisePage } from './pages/noise/page.tsx'
import { OncallPage } from './pages/oncall/page.tsx'
import { OverviewPage } from './pages/overview/page.tsx'
import { ProblemsPage } from './pages/problems/page.tsx'
import { RehearsalPage } from './pages/rehearsal/page.tsx'
import { RoutesPage } from './pages/routes/page.tsx'
import { SilencesPage } from './pages/silences/page.tsx'
import { TailPage } from './pages/tail/page.tsx'
import { TemplatesPage } from './pages/templates/page.tsx'

const COMPONENTS: { readonly [page in Page]: () => preact.VNode } = {
  overview: OverviewPage,
  problems: ProblemsPage,
  incidents: IncidentsPage,
  tail: TailPage,
  noise: NoisePage,
  silences: SilencesPage,
  heartbeats: HeartbeatsPage,
  oncall: OncallPage,
  routes: RoutesPage,
  rehearsal: RehearsalPage,
  channels: ChannelsPage,
  templates: TemplatesPage,
  agent: AgentPage,
  config: ConfigPage,
  digests: DigestPage,
}

function App() {
  if (!signedIn.value) return <SignIn />
  const PageComponent = COMPONENTS[route.value.page]
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <Nav />
      <main id="main" class="main" tabIndex={-1}>
        <PageComponent />
      </main>
      <Help />
      <Notices />
    </div>
  )
}

effect(() => {
  const count = attention.value.length
  document.title = `${count > 0 ? `(${count}) ` : ''}${signedIn.value ? `${PAGES[route.value.page].title} · ` : ''}Tocsin`
})
listenForKeys()
followStats()
render(<App />, document.getElementById('app') ?? document.body)
