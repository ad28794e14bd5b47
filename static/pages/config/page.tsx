import { useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import type { EffectiveConfig } from '../../../src/api/config.ts'
import type { McpTokenList } from '../../../src/api/mcp.ts'
import { useResource } from '../../api/resource.ts'
import { Card } from '../../ui/card.tsx'
import { plural } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Search } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { type ConfigEntry, entriesOf } from './entries.ts'

/** The configuration in use, and the origin of each value. */
export function ConfigPage() {
  const config = useResource<EffectiveConfig>('/api/admin/config')
  const { value } = config
  const tokens = useResource<McpTokenList>('/api/admin/mcp').value?.tokens ?? []
  const note = 'The values in use. To change them, edit the file, then send SIGHUP or restart the service.'
  return (
    <Page title="Configuration" note={note}>
      {value && <Warnings of={value.warnings} />}
      {tokens.length > 0 && <Tokens of={tokens} />}
      {value === undefined ? <Pending of={config} lines={10} /> : <Entries of={value} />}
    </Page>
  )
}

function Warnings({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null
  return (
    <Card title={plural(of.length, 'warning')} class="warnings">
      <ul>
        {of.map((warning) => (
          <li key={warning}>
            <Icon name="triangle" />
            <span class="break">{warning}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Clients of the Model Context Protocol. */
const Tokens = ({ of }: { readonly of: McpTokenList['tokens'] }) => (
  <Card title="Tokens of /mcp">
    <ul>
      {of.map(({ name, scope, act_on, may_stop_pages, calls, last_used_at }) => (
        <li key={name}>
          <b class="mono">{name}</b> {scope} {act_on} {may_stop_pages && 'may stop pages '}
          <span class="quiet">
            {plural(calls, 'call')} {last_used_at && <Time at={last_used_at} />}
          </span>
        </li>
      ))}
    </ul>
  </Card>
)

function Entries({ of }: { readonly of: EffectiveConfig }) {
  const words = useSignal('')
  const changedOnly = useSignal(false)
  const wanted = words.value.trim().toLowerCase()
  const entries = entriesOf(of).filter(
    ({ path, value, origin }) =>
      (wanted === '' || `${path} ${value} ${origin}`.toLowerCase().includes(wanted)) &&
      (!changedOnly.value || origin !== 'default'),
  )
  const sections = Map.groupBy(entries, ({ section }) => section)
  return (
    <>
      <div class="row">
        <Search label="Search the configuration" placeholder="Search keys and values" text={words} />
        <label class="toggle">
          <input
            type="checkbox"
            checked={changedOnly.value}
            onChange={() => (changedOnly.value = !changedOnly.value)}
          />
          Only changed values
        </label>
      </div>
      {entries.length === 0 && <p class="quiet">No key matches.</p>}
      <div class="config-sections">
        {[...sections].map(([section, each]) => (
          <Section key={section} name={section} entries={each} />
        ))}
      </div>
    </>
  )
}

/** A key that may break after a dot or an underscore, and within a part only when that part is longer than a line. */
const Breakable = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(?<=[._])/).map((part, at) => (
      <Fragment key={at}>
        {at > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </>
)

const Section = ({ name, entries }: { readonly name: string; readonly entries: readonly ConfigEntry[] }) => (
  <section class="card">
    <header class="card-head">
      <h2 class="mono">
        <Breakable text={name} />
      </h2>
    </header>
    <dl class="config">
      {entries.map(({ path, key, value, origin }) => (
        <div key={path} class="config-row lined" title={path}>
          <dt class="mono">
            <Breakable text={key} />
          </dt>
          <dd class="mono break">{value === '' ? <span class="quiet">not set</span> : value}</dd>
          <dd class="config-origin">
            <Chip tone={origin === 'default' ? 'plain' : 'info'}>{origin}</Chip>
          </dd>
        </div>
      ))}
    </dl>
  </section>
)
