/** Words of senders for each level, from loudest to quietest. */
const LEVEL_WORDS: readonly (readonly string[])[] = [
  ['critical', 'fatal', 'emergency', 'disaster', 'page', 'p1', 'sev1', 'alarm'],
  ['high', 'error', 'major', 'p2', 'sev2'],
  ['warning', 'warn', 'medium', 'average', 'minor', 'p3', 'sev3'],
  ['info', 'low', 'notice', 'information', 'informational', 'p4', 'sev4'],
  ['debug', 'none', 'ok', 'p5', 'sev5'],
]
const RANK = new Map(LEVEL_WORDS.flatMap((words, rank) => words.map((word) => [word, rank] as const)))

/** True for a word of the table above, in any case. */
export const isSeverity = (severity: string): boolean => RANK.has(severity.toLowerCase())

export const SEVERITY_LEVELS = ['critical', 'high', 'warning', 'info', 'debug'] as const
export type SeverityLevel = (typeof SEVERITY_LEVELS)[number]

/** Returns one of five levels for any severity, so that metrics have a bounded number of labels. */
export const severityLevel = (severity: string): SeverityLevel => SEVERITY_LEVELS[severityRank(severity)] ?? 'warning'

/** Returns 0 (loudest) to 4 (quietest); an unknown word ranks as warning. */
export function severityRank(severity: string): number {
  return RANK.get(severity.toLowerCase()) ?? 2
}
