import type { Position, TemplateSource } from '../../templates/template.ts'

interface Numbered {
  readonly source: TemplateSource
  /** Number of lines in the sources before it. */
  readonly linesBefore: number
}

/** A template and its shared files with lines numbered through, so that one number identifies file and line. */
export class Sources {
  /** The template, then its shared files from last to first: earlier definitions win. */
  readonly all: readonly Numbered[]

  constructor(template: TemplateSource) {
    let lines = 0
    this.all = [template, ...(template.shared ?? []).toReversed()].map((source) => {
      const linesBefore = lines
      lines += source.text.split('\n').length
      return { source, linesBefore }
    })
  }

  /** Returns file and line of a position that is numbered through all sources. */
  positionOf({ line, column }: Position): Position & { readonly file: string } {
    const found = this.all.findLast(({ linesBefore }) => linesBefore < line) ?? this.all[0]
    return { file: found?.source.file ?? '', line: line - (found?.linesBefore ?? 0), column }
  }
}
