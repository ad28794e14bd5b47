/** Returns the column of a field: that of `firstAt` is `first_at`. */
export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the columns of fields for a SELECT, each under the name of its field. `table`: its name with a dot. */
export const selected = (fields: readonly string[], table = '') =>
  fields.map((field) => `${table}${columnOf(field)} AS "${field}"`).join(', ')
