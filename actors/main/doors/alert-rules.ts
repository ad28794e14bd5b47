import { payloadOf } from '../../../src/alertmanager/payload.ts'
import { DEFAULT_RECEIVER, groupLabels, receiverLabels } from '../../../src/alertmanager/routing-config.ts'
import type { Receiver } from '../../../src/alertmanager/views.ts'
import { labelsOf, recognise } from '../../../src/intake/recognise.ts'
import { type Subject, SubjectReader } from '../../../src/policy/fields.ts'
import { groupValues } from '../../../src/policy/group.ts'
import { policySettings } from '../../wiring/boot.ts'
import { openPolicy } from '../../wiring/open-policy.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import type { AlertView } from './alert-reads.ts'

/** The rules of one configuration, for alerts. */
export type AlertRules = Awaited<ReturnType<typeof openAlertRules>>

interface Known {
  readonly annotations: AlertView['annotations']
  readonly subject: Subject
  receivers?: readonly string[]
}

export async function openAlertRules(settings: SystemSettings) {
  const policy = policySettings(settings)
  const decide = await openPolicy(policy)
  const known = new WeakMap<AlertView['labels'], Known>()
  const isTimed = policy.routes.some(({ during, outside }) => during !== undefined || outside !== undefined)
  const ofRules = new Map(policy.routes.map((rule) => [rule.name, rule]))
  const receivers: readonly Receiver[] = [
    { name: DEFAULT_RECEIVER, labels: receiverLabels({}, policy) },
    ...Array.from(ofRules, ([name, rule]) => ({ name, labels: receiverLabels(rule, policy) })),
  ]

  const payload = (view: AlertView) =>
    payloadOf({ entry: view, status: 'firing' }, { externalURL: settings.publicHost, now: 0 })

  /** Labels of an alert never change, so what follows from them is kept with them. */
  function knownOf(view: AlertView): Known {
    const earlier = known.get(view.labels)
    if (earlier?.annotations === view.annotations) return earlier
    const subject: Subject = {
      ...recognise(payload(view)),
      source: 'alertmanager',
      get content() {
        return Buffer.from(JSON.stringify(payload(view)))
      },
    }
    const fresh: Known = { annotations: view.annotations, subject }
    known.set(view.labels, fresh)
    return fresh
  }

  return {
    policy,
    receivers,
    reader: (view: AlertView) => new SubjectReader(knownOf(view).subject, labelsOf, payload(view)),
    /** Returns the names of the receivers of an alert. `now`: epoch milliseconds. */
    receiversOf(view: AlertView, now: number): readonly string[] {
      const entry = knownOf(view)
      if (entry.receivers !== undefined && !isTimed) return entry.receivers
      const { rules } = decide(entry.subject, undefined, now)
      entry.receivers = rules.length === 0 ? [DEFAULT_RECEIVER] : rules.map(({ name }) => name)
      return entry.receivers
    },
    /** Returns the labels of the group of an alert at a receiver. */
    groupOf(view: AlertView, receiver: string): { readonly [name: string]: string } {
      const group = ofRules.get(receiver)?.group ?? policy.group
      if (group === 'none') return view.labels
      const by = group?.by ?? ['labels.alertname']
      const values = groupValues(by, this.reader(view))
      const names = groupLabels({ by, intervalMs: 0 })
      return Object.fromEntries(names.flatMap((name, at) => (values[at] === '' ? [] : [[name, values[at] ?? '']])))
    },
  }
}
