import type { Position, TemplateSource } from '../../templates/template.ts'

interface Numbered {
  readonly source: TemplateSource
  /** How many lines the sources before it have. */
  readonly linesBefore: number
}

/** A template and the definitions beside it with their lines counted through, so that one number tells file and line. */
export class Sources {
  /** The template itself, then its shared ones from the last to the first: the earlier a definition, the stronger. */
  readonly all: readonly Numbered[]

  constructor(template: TemplateSource) {
    let lines = 0
    this.all = [template, ...(template.shared ?? []).toReversed()].map((source) => {
      const linesBefore = lines
      lines += source.text.split('\n').length
      return { source, linesBefore }
    })
  }

  /** Where a line counted through all sources is. */
  positionOf({ line, column }: Position): Position & { readonly file: string } {
    const found = this.all.findLast(({ linesBefore }) => linesBefore < line) ?? this.all[0]
    return { file: found?.source.file ?? '', line: line - (found?.linesBefore ?? 0), column }
  }
}
