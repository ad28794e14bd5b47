import { z } from 'zod'
import { channelName, jsonObject, type Shape } from './fields.ts'

const TemplateText = z.object({
  channel: channelName,
  file: z.string(),
  text: z.string(),
  enabled: z.boolean().describe('Whether the channel is'),
})
export type TemplateText = Shape<typeof TemplateText>

const SamplePayload = z.object({ sender: z.string(), name: z.string(), payload: jsonObject })

export const TemplateList = z.object({
  templates: z.array(TemplateText),
  samples: z.array(SamplePayload).describe('Payloads of every sender, to try templates with'),
})
export type TemplateList = Shape<typeof TemplateList>

export const PreviewRequest = z.object({
  channel: channelName,
  payload: jsonObject.exactOptional(),
  incident_id: z.string().exactOptional().describe('A stored incident in place of `payload`'),
  template: z.string().exactOptional().describe("Text in place of the channel's template, in the same dialect"),
})

/** The message that a channel would get. */
export const Preview = z.object({
  text: z.string(),
  subject: z.string().exactOptional(),
  warnings: z.array(z.string()),
  html: z.unknown().exactOptional(),
})
export type Preview = Shape<typeof Preview>
