import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The README, that of deploy/, and all pages below docs/. */
export const PAGES = ['README.md', 'deploy/README.md', ...globSync('docs/**/*.md', { cwd: ROOT }).sort()]

/** One block of code of a page, between fences or indented by four blanks. */
export interface Block {
  readonly page: string
  /** Number of its first line in the page. */
  readonly line: number
  /** The heading above it. */
  readonly heading: string
  /** The word behind the fence; `indented` for a block without fences. */
  readonly language: string
  readonly text: string
}

/** Returns the blocks of a page in their order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  const lines = read(page).split('\n')
  let heading = ''
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const fence = /^( *`{3,})(\w*)$/.exec(line)
    const start = at
    if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
    if (fence) while (++at < lines.length && lines[at] !== fence[1]);
    else if (/^ {4}\S/.test(line) && lines[at - 1] === '') while (/^ {4}|^$/.test(lines[at + 1] ?? '-')) at++
    else continue
    const [from, to, indent] = fence ? [start + 1, at, line.indexOf('`')] : [start, at + 1, 4]
    const text = lines
      .slice(from, to)
      .map((each) => each.slice(indent))
      .join('\n')
      .trim()
    blocks.push({ page, line: start + 1, heading, language: fence?.[2] ?? 'indented', text })
  }
  return blocks
}

export const BLOCKS = PAGES.flatMap(blocksOf)

/** Returns the page and line of a block. */
export const where = ({ page, line }: Block) => `${page}:${line}`
