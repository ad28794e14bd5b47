import type { LabelsOf } from '../policy/fields.ts'
import { SHAPES } from './index.ts'

/** Returns the labels of a payload, one set for each of its first 256 alerts. Never throws, for any object. */
export const labelsOf: LabelsOf = (sender, payload) =>
  SHAPES.find((shape) => shape.sender === sender)?.labels(payload) ?? []
