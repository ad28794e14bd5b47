import { type ComponentChildren, toChildArray } from 'preact'
import type { Brief } from '../../../src/api/brief.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { dataVersion } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Pending } from '../../ui/empty.tsx'
import { span, Time } from '../../ui/time.tsx'
import { Notes } from './notes.tsx'

/** What is known about a problem: each entry leads to where it comes from. */
export function BriefCard({ problem: id }: { readonly problem: string }) {
  const of = useResource<Brief>(`/api/admin/problems/${encodeURIComponent(id)}/brief`, dataVersion)
  const { value } = of
  if (value === undefined) return <Pending of={of} lines={6} />
  const { problem, runbook, late, unapplied } = value
  return (
    <Card
      title="Brief"
      label="Brief"
      aside={
        <p class="quiet">
          as of <Time at={value.at} />
        </p>
      }
    >
      <dl class="brief">
        <Notified of={value} />
        <Before of={value.before} />
        <Similar of={value.similar} />
        <Silences of={value.silences} />
        <Nearby of={value.nearby} />
        <Logs of={value.logs} />
        <Changes of={value.changes} since={problem.opened_at} />
        <Section name="Runbook">
          {runbook.map((url) => (
            <li key={url}>
              <Outside url={url} />
            </li>
          ))}
        </Section>
        {late.length > 0 && <Line name="Missing">no time or room: {late.join(', ')}</Line>}
        {unapplied > 0 && <Line name="Newer">{plural(unapplied, 'incident')} not applied yet</Line>}
      </dl>
      <Notes of={value} changed={() => void of.load()} />
    </Card>
  )
}

interface SectionProps {
  readonly name: string
  readonly children: ComponentChildren
}

/** A list; nothing without entries. */
const Section = ({ name, children }: SectionProps) =>
  toChildArray(children).length === 0 ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        <ul>{children}</ul>
      </dd>
    </>
  )

const Line = ({ name, children }: SectionProps) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

function Notified({ of: { notified, page } }: { readonly of: Brief }) {
  return (
    <Section name="Notified">
      {notified.length === 0 && <li>no destination</li>}
      {notified.map(({ channel, target, after_ms, status }) => (
        <li key={`${channel}:${target}`}>
          {target === null ? channel : `${channel}:${target}`} <State of={status} />
          {after_ms !== null && ` after ${span(after_ms)}`}
        </li>
      ))}
      {page && (
        <li>
          page to {page.provider} <State of={page.state} />
          <Time before=", due " at={page.due_at} />
        </li>
      )}
    </Section>
  )
}

const ENDINGS: { readonly [by: string]: string } = { sender: 'its sender', person: 'a person', quiet: 'quiet' }

function Before({
  of: { count, days, shortest_ms, median_ms, longest_ms, openings },
}: {
  readonly of: Brief['before']
}) {
  if (count === 0) return <Line name="Before">not in {days} days</Line>
  const known = shortest_ms !== null && median_ms !== null && longest_ms !== null
  return (
    <Section name="Before">
      <li>
        {plural(count, 'time')} in {days} days
        {known && `, ${span(shortest_ms)} to ${span(longest_ms)}, median ${span(median_ms)}`}
      </li>
      {openings.map(({ id, opened_at, ended_at, ended_by, acked_by, incident }) => (
        <li key={id}>
          {incident === null ? (
            <Time at={opened_at} />
          ) : (
            <a href={href('incidents', incident)}>
              <Time at={opened_at} />
            </a>
          )}
          {ended_at !== null && `, ${span(Date.parse(ended_at) - Date.parse(opened_at))}`}
          {acked_by !== null && `, acknowledged by ${acked_by}`}
          {ended_by !== null && `, ended by ${ENDINGS[ended_by] ?? ended_by}`}
        </li>
      ))}
    </Section>
  )
}

const Similar = ({ of }: { readonly of: Brief['similar'] }) => (
  <Section name="Similar">
    {of.map(({ problem, title, service, score, count, median_ms, acked_by }) => (
      <li key={problem}>
        <a href={href('problems', String(problem))}>{title}</a>
        {service !== '' && ` (${service})`}, {score.toFixed(2)}: {plural(count, 'time')}
        {median_ms !== null && `, ${span(median_ms)}`}
        {acked_by !== null && `, acknowledged by ${acked_by}`}
      </li>
    ))}
  </Section>
)

const HOLDS = { holds: 'holds it', would_hold: 'would hold its next incident', begins: 'begins' } as const

const Silences = ({ of }: { readonly of: Brief['silences'] }) => (
  <Section name="Silences">
    {of.map(({ id, comment, state, starts_at, ends_at }) => (
      <li key={id}>
        <a href={href('silences', String(id))}>{comment || `silence ${id}`}</a> {HOLDS[state]}{' '}
        {state === 'begins' ? <Time at={starts_at} as="age" /> : <Time before=", until " at={ends_at} />}
      </li>
    ))}
  </Section>
)

function Nearby({ of }: { readonly of: Brief['nearby'] }) {
  if (of === null) return <Line name="Nearby">the problem names no service</Line>
  const { openings, services, digests } = of
  return (
    <Section name="Nearby">
      {openings.map(({ problem, title, service, opened_at, ended_at }) => (
        <li key={`${problem} ${opened_at}`}>
          <a href={href('problems', String(problem))}>{title}</a> ({service}) since <Time at={opened_at} />
          {ended_at !== null && ', over'}
        </li>
      ))}
      {services.map(({ service, count }) => (
        <li key={service}>
          {count} in <a href={href('problems', '', { service })}>{service || 'no service'}</a>
        </li>
      ))}
      {digests.map(({ number, title }) => (
        <li key={number}>
          <a href={href('digests', String(number))}>{title || `digest ${number}`}</a>
        </li>
      ))}
    </Section>
  )
}

const Logs = ({ of }: { readonly of: Brief['logs'] }) => (
  <Section name="Logs">
    {of.map(({ pattern, at, text, count }) => (
      <li key={pattern}>
        <Time at={at} />: <code class="break">{text}</code>, {plural(count, 'line')}
      </li>
    ))}
  </Section>
)

function Changes({ of, since }: { readonly of: Brief['changes']; readonly since: string }) {
  const distance = (at: string) => Date.parse(since) - Date.parse(at)
  return (
    <Section name="Changes">
      {of.map(({ id, at, service, kind, summary, link }) => (
        <li key={id}>
          {span(Math.abs(distance(at)))} {distance(at) < 0 ? 'after' : 'before'}: {service !== '' && `${service}: `}
          {summary}
          {kind !== '' && ` (${kind})`} {link !== '' && <Outside url={link} />}
        </li>
      ))}
    </Section>
  )
}

/** A link of a sender: only http and https, with its host, and the other side does not learn where it stood. */
function Outside({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return <span class="break">{url}</span>
  return (
    <>
      <a class="break" href={url} target="_blank" rel="noopener noreferrer">
        {url}
      </a>{' '}
      <span class="quiet">at {new URL(url).host}</span>
    </>
  )
}
