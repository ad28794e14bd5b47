import { z } from 'zod'
import { camelKeys, named } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { namedTargets, secretUrl } from '../options.ts'

const FORMATS = ['auto', 'message', 'text', 'adaptive_card'] as const
const format = z.enum(FORMATS, { error: `must be one of ${FORMATS.join(', ')}` })

const options = z
  .object({
    flow_url: secretUrl().default(''),
    other_flow_urls: named(secretUrl()),
    format: format.default('auto'),
    /** Formats of single names in `other_flow_urls`; a name that is not listed has the channel's `format`. */
    other_flow_formats: named(format),
  })
  .transform(({ other_flow_urls: others, other_flow_formats: otherFormats, ...raw }) => ({
    ...camelKeys(raw),
    others,
    otherFormats,
  }))

export type OfficechatOptions = z.output<typeof options>

/** A flow answers 202 before it fails, so neither its answer nor its address tells which body it wants. */
const FLOW = /^https:\/\/[^/]+\.(?:logic\.azure|powerplatform)\.com(?::\d+)?\/.*\/triggers\//i

/** Microsoft Teams over a Power Automate flow trigger, or over a legacy Office 365 connector. */
export const officechat: ChannelKind<OfficechatOptions> = {
  name: 'officechat',
  options,
  targets: (known) => namedTargets(known.others),
  advice: ({ format, flowUrl }) =>
    format !== 'auto' || !FLOW.test(flowUrl)
      ? []
      : [
          'alert.officechat.format: auto sends {"message": text}; a flow of the template "Post to a channel when a webhook request is received" answers 202 and then fails: set adaptive_card for it, or message for a flow that reads "message"',
        ],
  /** The provider allows 28 KB; 2 KB are for the frame of an adaptive card. */
  text: { escaping: 'markdown', limit: { max: 26_000, unit: 'json-bytes' } },
  defaults: {
    concurrency: 4,
    rate: { perSecond: 2, burst: 4 },
    storm: { rate: { perSecond: 1, burst: 4 } },
  },
}
