/** A JSON document on disk. */
export interface JsonFile {
  /**
   * Returns undefined when there is no file, or when it holds no JSON object; it is then set aside. Throws
   * `storage_full`, `storage_down`.
   */
  load(): { readonly [field: string]: unknown } | undefined
  /** Durable when it returns. Throws `storage_full`, `storage_down`; the file is then unchanged. */
  save(document: object): void
}
