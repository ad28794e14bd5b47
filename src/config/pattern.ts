import { RE2JS } from 're2js'
import { z } from 'zod'
import { errorText } from '../text/error-text.ts'

/** Returns whether a regular expression for RE2 has a capture group; false for a text that is none. */
export function hasGroup(source: string): boolean {
  try {
    return RE2JS.compile(source).groupCount() > 0
  } catch {
    return false
  }
}

/** A regular expression for RE2, which runs in linear time. */
export const pattern = () =>
  z.string({ error: 'must be a regular expression in quotes' }).superRefine((source, ctx) => {
    const issue = patternError(source)
    if (issue !== undefined) ctx.addIssue({ code: 'custom', message: issue })
  })

function patternError(source: string): string | undefined {
  try {
    RE2JS.compile(source)
    return undefined
  } catch (error) {
    return `is not a regular expression that RE2 takes (${errorText(error)})`
  }
}
