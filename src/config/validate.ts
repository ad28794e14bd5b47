import type { z } from 'zod'
import { offPart, pathBefore, without } from './checks/switched-off.ts'
import { dotted, type Path } from './config-error.ts'
import { getter } from './issue.ts'
import { messageOf } from './messages.ts'
import { SCHEMA, type Sections } from './schema.ts'

interface Validated {
  /** Absent when there are issues. */
  readonly sections?: Sections
  readonly issues: readonly z.core.$ZodIssue[]
  /** Issues of parts that are switched off. */
  readonly ignored: readonly z.core.$ZodIssue[]
  /** Dotted paths of these parts. They have their defaults, and entries of lists are left out. */
  readonly left: ReadonlySet<string>
}

/** Validates the merged configuration. An issue in a part that is switched off does not count. */
export function validate(input: unknown, effective: unknown): Validated {
  const get = getter(effective)
  const left = new Set<string>()
  const ignored: z.core.$ZodIssue[] = []
  for (;;) {
    const parsed = SCHEMA.safeParse(without(input, left), { error: messageOf })
    if (parsed.success) return { sections: parsed.data, issues: [], ignored, left }
    const found = parsed.error.issues.map((issue) => ({ ...issue, path: [...pathBefore(pathOf(issue), left)] }))
    const parts = found.map((issue) => ({ issue, part: offPart(issue.path, get)?.path }))
    // A part that was left out already is wrong without its value too, so the issue counts.
    const isLeft = (part: Path | undefined) => part === undefined || left.has(dotted(part))
    const counting = parts.filter(({ part }) => isLeft(part)).map(({ issue }) => issue)
    ignored.push(...parts.filter(({ part }) => !isLeft(part)).map(({ issue }) => issue))
    if (counting.length > 0) return { issues: counting, ignored, left }
    for (const { part } of parts) if (part !== undefined) left.add(dotted(part))
  }
}

/** Returns the keys and indexes of an issue. */
const pathOf = ({ path }: z.core.$ZodIssue): Path =>
  path.map((part) => (typeof part === 'number' ? part : String(part)))
