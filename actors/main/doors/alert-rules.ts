import { payloadOf } from '../../../src/alertmanager/payload.ts'
import { DEFAULT_RECEIVER, groupLabels, receiverLabels } from '../../../src/alertmanager/routing-config.ts'
import type { Entry } from '../../../src/alertmanager/table.ts'
import type { Receiver } from '../../../src/alertmanager/views.ts'
import { labelsOf, recognise } from '../../../src/intake/recognise.ts'
import { groupValues } from '../../../src/policy/bundles/group.ts'
import { type Subject, SubjectReader } from '../../../src/policy/fields.ts'
import { policySettings } from '../../wiring/boot.ts'
import { openPolicy } from '../../wiring/open-policy.ts'
import type { SystemSettings } from '../../wiring/settings.ts'

/** The rules of one configuration, for alerts. */
export type AlertRules = Awaited<ReturnType<typeof openAlertRules>>

interface Known {
  readonly annotations: Entry['annotations']
  readonly subject: Subject
  receivers?: readonly string[]
}

export async function openAlertRules(settings: SystemSettings) {
  const policy = policySettings(settings)
  const decide = await openPolicy(policy)
  const known = new WeakMap<Entry, Known>()
  const isTimed = policy.routes.some(({ during, outside }) => during !== undefined || outside !== undefined)
  const ofRules = new Map(policy.routes.map((rule) => [rule.name, rule]))
  const receivers: readonly Receiver[] = [
    { name: DEFAULT_RECEIVER, labels: receiverLabels({}, policy) },
    ...Array.from(ofRules, ([name, rule]) => ({ name, labels: receiverLabels(rule, policy) })),
  ]

  const payload = (entry: Entry) => payloadOf({ entry, status: 'firing' }, { externalURL: settings.publicHost, now: 0 })

  /** Labels of an alert never change, so what follows from them is kept with it. */
  function knownOf(entry: Entry): Known {
    const earlier = known.get(entry)
    if (earlier?.annotations === entry.annotations) return earlier
    const subject: Subject = {
      ...recognise(payload(entry)),
      source: 'alertmanager',
      get content() {
        return Buffer.from(JSON.stringify(payload(entry)))
      },
    }
    const fresh: Known = { annotations: entry.annotations, subject }
    known.set(entry, fresh)
    return fresh
  }

  return {
    policy,
    receivers,
    reader: (entry: Entry) => new SubjectReader(knownOf(entry).subject, labelsOf, payload(entry)),
    /** Returns the names of the receivers of an alert. `now`: epoch milliseconds. */
    receiversOf(entry: Entry, now: number): readonly string[] {
      const alert = knownOf(entry)
      if (alert.receivers !== undefined && !isTimed) return alert.receivers
      const { rules } = decide(alert.subject, undefined, now)
      alert.receivers = rules.length === 0 ? [DEFAULT_RECEIVER] : rules.map(({ name }) => name)
      return alert.receivers
    },
    /** Returns the labels of the group of an alert at a receiver. */
    groupOf(entry: Entry, receiver: string): { readonly [name: string]: string } {
      const group = ofRules.get(receiver)?.group ?? policy.group
      if (group === 'none') return entry.labels
      const by = group?.by ?? ['labels.alertname']
      const values = groupValues(by, this.reader(entry))
      const names = groupLabels({ by, intervalMs: 0 })
      return Object.fromEntries(names.flatMap((name, at) => (values[at] === '' ? [] : [[name, values[at] ?? '']])))
    },
  }
}
