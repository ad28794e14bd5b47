import { dirname } from 'node:path'
import type { Files } from '../../src/journal/files.ts'

const SECTOR = 512

/** Returns true for what a power cut leaves on the disk; called for each sector and each change of a directory. */
type Choose = () => boolean

interface Write {
  readonly offset: number
  readonly bytes: Buffer
}

/** A file: what programs see, what the disk holds for sure, and the writes in between. */
interface Inode {
  content: Buffer
  durable: Buffer
  unsynced: Write[]
}

type Rename = readonly [path: string, inode: Inode | undefined]

/** Name of a call that can fail. */
type Call = keyof Files

/**
 * A disk in memory that keeps what is synced apart from what is not, so that a power cut can lose any part of the rest.
 * Sectors of 512 bytes are written whole or not at all.
 */
export class Disk implements Files {
  readonly #directories: Set<string>
  #names: Map<string, Inode>
  #durableNames: Map<string, Inode>
  #renames: Rename[] = []
  readonly #open = new Map<number, Inode>()
  readonly #identities = new Map<Inode, number>()
  #lastFile = 2
  /** Called before each call; an error code that it returns makes the call fail. */
  before: (call: Call, path: string) => string | undefined = () => undefined
  /** Decides which sectors of a failed sync are on disk. */
  choose: Choose = () => false
  /** Bytes that one write takes at most. */
  longestWrite = Infinity

  constructor(directories: Iterable<string> = [], names: Iterable<readonly [string, Inode]> = []) {
    this.#directories = new Set(directories)
    this.#names = new Map(names)
    this.#durableNames = new Map(this.#names)
  }

  /** The disk after the process was killed: everything that was written is there. */
  afterKill(): Disk {
    return this.#copy(({ content, durable, unsynced }) => ({
      content: Buffer.from(content),
      durable: Buffer.from(durable),
      unsynced: [...unsynced],
    }))
  }

  /** The disk after a power cut, with that part of the unsynced writes that `choose` accepts: by default none. */
  afterPowerCut(choose: Choose = () => false): Disk {
    const names = new Map(this.#durableNames)
    for (const [path, inode] of this.#renames) {
      if (!choose()) break
      if (inode === undefined) names.delete(path)
      else names.set(path, inode)
    }
    const written = new Map<Inode, Inode>()
    for (const inode of names.values()) {
      const content = withSectors(inode, choose)
      written.set(inode, { content, durable: Buffer.from(content), unsynced: [] })
    }
    return new Disk(
      this.#directories,
      Array.from(names, ([path, inode]) => [path, written.get(inode) as Inode] as const),
    )
  }

  #copy(copied: (inode: Inode) => Inode): Disk {
    const copies = new Map<Inode, Inode>()
    for (const inode of [...this.#names.values(), ...this.#durableNames.values()])
      if (!copies.has(inode)) copies.set(inode, copied(inode))
    const at = (inode: Inode) => copies.get(inode) as Inode
    const copy = new Disk(
      this.#directories,
      Array.from(this.#names, ([path, inode]) => [path, at(inode)] as const),
    )
    copy.#durableNames = new Map(Array.from(this.#durableNames, ([path, inode]) => [path, at(inode)]))
    copy.#renames = this.#renames.flatMap(([path, inode]): Rename[] => {
      if (inode === undefined) return [[path, undefined]]
      return copies.has(inode) ? [[path, at(inode)]] : []
    })
    return copy
  }

  /** Content of the file, to be looked at or changed. */
  contentOf(path: string): Buffer {
    return this.#inodeAt(path).content
  }

  /** Replaces the content of a file, on the disk as well. */
  put(path: string, content: Uint8Array): void {
    this.#directories.add(dirname(path))
    const inode = { content: Buffer.from(content), durable: Buffer.from(content), unsynced: [] }
    this.#names.set(path, inode)
    this.#durableNames.set(path, inode)
  }

  paths(): string[] {
    return [...this.#names.keys()].sort()
  }

  /** Removes a directory with all that is in it, as an operator may while files are open. */
  removeDirectory(path: string): void {
    this.#directories.delete(path)
    for (const names of [this.#names, this.#durableNames])
      for (const name of [...names.keys()]) if (dirname(name) === path) names.delete(name)
  }

  makeDirectory(path: string): void {
    this.#call('makeDirectory', path)
    this.#directories.add(path)
  }

  list(directory: string): readonly string[] {
    this.#call('list', directory)
    if (!this.#directories.has(directory)) throw failure('ENOENT')
    return this.paths()
      .filter((path) => dirname(path) === directory)
      .map((path) => path.slice(directory.length + 1))
  }

  open(path: string, mode: 'read' | 'write' | 'create'): number {
    this.#call('open', path)
    if (!this.#directories.has(dirname(path))) throw failure('ENOENT')
    if (mode === 'create') {
      if (this.#names.has(path)) throw failure('EEXIST')
      this.#rename(path, { content: Buffer.alloc(0), durable: Buffer.alloc(0), unsynced: [] })
    }
    const file = ++this.#lastFile
    this.#open.set(file, this.#inodeAt(path))
    return file
  }

  size(file: number): number {
    this.#call('size', '')
    return this.#inodeOf(file).content.length
  }

  identity(path: string): number | undefined {
    this.#call('identity', path)
    const inode = this.#names.get(path)
    if (inode === undefined) return undefined
    const known = this.#identities.get(inode) ?? this.#identities.size + 1
    this.#identities.set(inode, known)
    return known
  }

  read(file: number, into: Uint8Array, position: number): number {
    this.#call('read', this.#pathOf(file))
    const { content } = this.#inodeOf(file)
    const part = content.subarray(position, position + into.length)
    into.set(part)
    return part.length
  }

  write(file: number, buffers: readonly Uint8Array[], position: number): number {
    const all = Buffer.concat(buffers)
    const code = this.before('write', this.#pathOf(file))
    // A write that fails may have left a part behind.
    const bytes = all.subarray(0, code === undefined ? this.longestWrite : Math.floor(all.length / 2))
    const inode = this.#inodeOf(file)
    inode.content = written(inode.content, { offset: position, bytes })
    inode.unsynced.push({ offset: position, bytes: Buffer.from(bytes) })
    if (code !== undefined) throw failure(code)
    return bytes.length
  }

  /** After a failure the written pages count as clean: a later sync does not write them again. */
  sync(file: number): void {
    const inode = this.#inodeOf(file)
    const code = this.before('sync', this.#pathOf(file))
    inode.durable = withSectors(inode, code === undefined ? () => true : this.choose)
    inode.unsynced = []
    if (code !== undefined) throw failure(code)
  }

  syncDirectory(path: string): void {
    this.#call('syncDirectory', path)
    this.#durableNames = new Map(this.#names)
    this.#renames = []
  }

  async writeLater(file: number, buffer: Uint8Array, position: number): Promise<number> {
    return this.write(file, [buffer], position)
  }
  async syncLater(file: number): Promise<void> {
    this.sync(file)
  }
  async syncDirectoryLater(path: string): Promise<void> {
    this.syncDirectory(path)
  }

  rename(from: string, to: string): void {
    this.#call('rename', from)
    const inode = this.#inodeAt(from)
    this.#rename(to, inode)
    this.#rename(from, undefined)
  }

  remove(path: string): void {
    this.#call('remove', path)
    this.#inodeAt(path)
    this.#rename(path, undefined)
  }

  close(file: number): void {
    this.#call('close', this.#pathOf(file))
    this.#inodeOf(file)
    this.#open.delete(file)
  }

  /** Number of files that are open. */
  get openFiles(): number {
    return this.#open.size
  }

  #call(call: Call, path: string): void {
    const code = this.before(call, path)
    if (code !== undefined) throw failure(code)
  }

  #rename(path: string, inode: Inode | undefined): void {
    if (inode === undefined) this.#names.delete(path)
    else this.#names.set(path, inode)
    this.#renames.push([path, inode])
  }

  #inodeAt(path: string): Inode {
    const inode = this.#names.get(path)
    if (inode === undefined) throw failure('ENOENT')
    return inode
  }

  #inodeOf(file: number): Inode {
    const inode = this.#open.get(file)
    if (inode === undefined) throw failure('EBADF')
    return inode
  }

  #pathOf(file: number): string {
    const inode = this.#open.get(file)
    return [...this.#names].find(([, each]) => each === inode)?.[0] ?? ''
  }
}

/** Returns what is on the disk when those sectors of the unsynced writes are that `choose` accepts. */
function withSectors({ durable, unsynced }: Inode, choose: Choose): Buffer {
  let { length } = durable
  const content = Buffer.alloc(Math.max(length, ...unsynced.map(({ offset, bytes }) => offset + bytes.length)))
  durable.copy(content)
  for (const { offset, bytes } of unsynced) {
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + SECTOR - ((offset + at) % SECTOR))
      if (choose()) {
        bytes.copy(content, offset + at, at, end)
        length = Math.max(length, offset + end)
      }
      at = end
    }
  }
  return content.subarray(0, length)
}

function written(content: Buffer, { offset, bytes }: Write): Buffer {
  const longer = Buffer.alloc(Math.max(content.length, offset + bytes.length))
  content.copy(longer)
  longer.set(bytes, offset)
  return longer
}

const failure = (code: string) => Object.assign(new Error(code), { code })
