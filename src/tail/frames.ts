/** Joins lines of JSON by line feeds into frames of at most `maxSize` UTF-16 units; a longer line is a frame alone. */
export function frames(lines: readonly string[], maxSize: number): string[] {
  const made: string[] = []
  let frame: string[] = []
  let size = 0
  for (const line of lines) {
    if (size > 0 && size + line.length > maxSize) {
      made.push(frame.join('\n'))
      frame = []
      size = 0
    }
    frame.push(line)
    size += line.length + 1
  }
  if (frame.length > 0) made.push(frame.join('\n'))
  return made
}
