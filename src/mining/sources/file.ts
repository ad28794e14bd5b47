import { setTimeout as pause } from 'node:timers/promises'
import { CodedError } from '../../domain/errors.ts'
import { errorText } from '../../text/error-text.ts'
import type { SourceOptions } from '../options.ts'
import type { Cursor, LogSource, Pulled, RawEvent, SourceDeps } from './contract.ts'
import { createMultiline, type Multiline, readChunk } from './multiline.ts'
import { eventOfLine } from './records.ts'
import {
  advance,
  atStart,
  cursorOf,
  type FilePosition,
  isSameFile,
  NO_FILE,
  type OpenFile,
  openFile,
  positionFrom,
  rotatedFiles,
  statOpenFile,
  withHead,
} from './rotation.ts'

interface ReadTarget {
  readonly file: OpenFile
  readonly position: FilePosition
  /** The path leads to another file that has content, so nothing more is written to this one. */
  readonly replaced?: boolean
  readonly note?: string
}

const CHUNK_BYTES = 1024 * 1024
/** A file modified more recently is checked for growth before its last event counts as complete. */
const QUIET_MS = 1_000
/** Time between the two looks at its size. */
const RECHECK_MS = 100

/** Follows one log file through rotation by rename, truncation and replacement. */
export function createFileSource(
  options: SourceOptions['file'],
  { now }: Pick<SourceDeps, 'now'>,
): Required<LogSource> {
  return new FileSource(options, now)
}

class FileSource implements LogSource {
  readonly #options: SourceOptions['file']
  readonly #now: () => number
  readonly #multiline: Multiline
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  /** The file read last. Kept open, so that it can be read to its end after it was renamed or removed. */
  #keptOpen: OpenFile | undefined

  constructor(options: SourceOptions['file'], now: () => number) {
    const { multiline, eventStart, format } = options
    this.#options = options
    this.#now = now
    this.#multiline = createMultiline({ enable: multiline && format === 'text', eventStart })
  }

  async pull(cursor: Cursor | undefined, signal: AbortSignal): Promise<Pulled> {
    try {
      const target = await this.#target(cursor && positionFrom(cursor))
      if (!target) return { events: [], cursor: cursor ?? cursorOf(NO_FILE), more: false }
      return await this.#read(target, signal)
    } catch (error) {
      signal.throwIfAborted()
      throw failure(error, this.#options.path)
    }
  }

  async close(): Promise<void> {
    const held = this.#keptOpen
    this.#keptOpen = undefined
    await held?.handle.close()
  }

  async #target(position: FilePosition | undefined): Promise<ReadTarget | undefined> {
    const current = await openFile(this.#options.path)
    let target: ReadTarget | undefined
    try {
      target = await this.#chooseTarget(position, current)
    } finally {
      if (current && current !== target?.file) await current.handle.close()
    }
    if (target) await this.#keepOpen(target.file)
    return target
  }

  async #chooseTarget(
    position: FilePosition | undefined,
    current: OpenFile | undefined,
  ): Promise<ReadTarget | undefined> {
    if (!position) return current && { file: current, position: await this.#firstPosition(current) }
    if (current && (position.file === '' || current.inode === position.file)) {
      const same = position.file !== '' && (await isSameFile(current, position))
      return { file: current, position: same ? position : atStart(current) }
    }
    const old = await this.#findRotated(position)
    if (old) return { file: old, position, replaced: (current?.size ?? 0) > 0 }
    if (!current) return undefined
    return {
      file: current,
      position: atStart(current),
      note: 'the file was replaced, and its last lines cannot be found',
    }
  }

  async #firstPosition(file: OpenFile): Promise<FilePosition> {
    if (this.#options.fromBeginning) return atStart(file)
    return withHead(file, { ...atStart(file), offset: file.size })
  }

  /** Finds the file of the position when the path no longer leads to it: the open one, or a rotated sibling. */
  async #findRotated(position: FilePosition): Promise<OpenFile | undefined> {
    if (position.file === '') return undefined
    const held = this.#keptOpen && (await statOpenFile(this.#keptOpen.handle))
    if (held?.inode === position.file) return (await isSameFile(held, position)) ? held : undefined
    const sibling = (await rotatedFiles(this.#options.path)).find(({ inode }) => inode === position.file)
    const file = sibling && (await openFile(sibling.path))
    if (!file || (await isSameFile(file, position))) return file
    await file.handle.close()
    return undefined
  }

  async #keepOpen(file: OpenFile): Promise<void> {
    const before = this.#keptOpen
    this.#keptOpen = file
    if (before && before.handle !== file.handle) await before.handle.close()
  }

  async #read({ file, position, replaced = false, note }: ReadTarget, signal: AbortSignal): Promise<Pulled> {
    const { bytesRead } = await file.handle.read(this.#chunk, 0, CHUNK_BYTES, position.offset)
    const bytes = this.#chunk.subarray(0, bytesRead)
    const full = bytesRead === CHUNK_BYTES
    const finished = replaced && !full
    const mayContinue = full || (!finished && bytesRead > 0 && (await this.#isGrowing(file, signal)))
    const read = readChunk({ bytes, full, finished, mayContinue, skipping: position.skipping }, this.#multiline)
    const next = finished ? await this.#nextFile(file) : await withHead(file, advance(position, read))
    return {
      events: this.#events(read.events),
      cursor: cursorOf(next),
      more: finished || (full && read.consumed > 0),
      ...(note !== undefined && { note }),
    }
  }

  /** Returns whether the last event may continue. Always false unless lines are joined. */
  async #isGrowing(file: OpenFile, signal: AbortSignal): Promise<boolean> {
    const { multiline, format } = this.#options
    if (!multiline || format === 'json' || this.#now() - file.modifiedMs > QUIET_MS) return false
    await pause(RECHECK_MS, undefined, { signal })
    return (await statOpenFile(file.handle)).size !== file.size
  }

  /** Returns the start of the next file: one that was rotated later, or the one at the path. */
  async #nextFile(done: OpenFile): Promise<FilePosition> {
    const { inode, modifiedMs } = await statOpenFile(done.handle)
    const later = (await rotatedFiles(this.#options.path)).find(
      (file) => file.inode !== inode && file.modifiedMs > modifiedMs,
    )
    return later ? { ...NO_FILE, file: later.inode } : NO_FILE
  }

  #events(texts: readonly string[]): RawEvent[] {
    const { format, messageField } = this.#options
    if (format === 'text') return texts.map((text) => ({ text }))
    return texts.flatMap((text) => eventOfLine(text, messageField) ?? [])
  }
}

function failure(error: unknown, path: string): CodedError {
  const code = (error as { code?: unknown }).code
  const message = code === 'EACCES' ? 'may not be read by this user' : errorText(error)
  return new CodedError('source_failed', `the log ${path} cannot be read: ${message}`, { cause: error })
}
