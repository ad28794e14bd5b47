import type { TemplateSource } from './template.ts'

const SUBJECT = /^Subject:[ \t]*/i
const SUBJECT_LINE = /^Subject:.*(?:\n|$)/im

/**
 * A template with a line `Subject: ...` as two, both with what stands before that line: the subject's and the body's. So a
 * line break in a value stays in the subject and forges nothing of the body. One part may not parse without the other.
 */
export function splitSource(source: TemplateSource): { head: TemplateSource; body: TemplateSource } | undefined {
  const line = SUBJECT_LINE.exec(source.text)
  if (!line) return undefined
  const before = source.text.slice(0, line.index)
  const after = source.text.slice(line.index + line[0].length)
  return { head: { ...source, text: before + line[0] }, body: { ...source, text: before + after } }
}

/** What the head of a split template printed; undefined: something else came first, so there is no subject. */
export function subjectOf(head: string): string | undefined {
  const text = head.trimStart()
  return SUBJECT.test(text) ? asSubject(text.replace(SUBJECT, '')) : undefined
}

/** Takes a first line `Subject: ...` off a rendered text. */
export function splitText(text: string): { subject?: string; text: string } {
  const start = text.trimStart()
  if (!SUBJECT.test(start)) return { text }
  const end = start.indexOf('\n')
  const line = end === -1 ? start : start.slice(0, end)
  return { subject: asSubject(line.replace(SUBJECT, '')), text: asBody(start.slice(line.length)) }
}

const MAX_SUBJECT_CHARACTERS = 250

/** One line without control characters. */
function asSubject(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  return [...line].slice(0, MAX_SUBJECT_CHARACTERS).join('')
}

/** Without the blank lines that set it off from the subject. */
export function asBody(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '')
}
