/** A document of JSON on disk, written whole. */
export interface JsonFile {
  /** Undefined: there is none, or it could not be read as an object and was set aside. */
  load(): { readonly [field: string]: unknown } | undefined
  /** Durable when it returns; throws a CodedError of the disk, and leaves what was there before. */
  save(document: object): void
}
