import { href, navigate } from '../app/route.ts'
import { Tabs } from '../ui/tabs.tsx'

const VIEWS = { problems: 'Problems', incidents: 'Incidents' } as const

/** Leads from the problems to the single incidents and back. */
export const Views = ({ shown }: { readonly shown: keyof typeof VIEWS }) => (
  <Tabs label="Lists" tabs={VIEWS} chosen={shown} onChoose={(view) => navigate(href(view))} />
)
