/**
 * Translation of statements that are written for SQLite. What both engines read stays as it is; the rest is what the
 * list `RULES` names. A statement is translated once, when it is prepared.
 */

type Rule = readonly [pattern: RegExp, replacement: string]

/** In order. They see no text in quotes but the paths `'$.name'`. */
const RULES: readonly Rule[] = [
  // Hints for SQLite's planner.
  [/ INDEXED BY \w+/g, ''],
  [/\bCROSS JOIN\b(?=[^,()]* ON )/g, 'JOIN'],
  // The integers of SQLite have 64 bits, and its casts of numbers truncate.
  [/\bAS INTEGER\)/g, 'AS bigint)'],
  [/\bIN \(\)/g, 'IN (SELECT 0 WHERE false)'],
  [/\binstr\(/g, 'strpos('],
  // JSON is kept as text, with paths of one name.
  [/\bjson_object\(/g, 'json_build_object('],
  [/\bjson_set\((\w+), '\$\.(\w+)', (\?\d*)\)/g, "jsonb_set($1::jsonb, '{$2}', to_jsonb($3::bigint))"],
  [/\bjson_each\(([\w.]+), '\$\.(\w+)'\)/g, "json_array_elements($1::json -> '$2')"],
  [/([\w.]+) ->> '\$\.(\w+)'/g, "($1::json ->> '$2')"],
  [/([\w.]+) -> '\$\.(\w+)'/g, "($1::json -> '$2')::text"],
  // PostgreSQL folds names without quotes to lower case.
  [/(?<![\w'])[a-z]+[A-Z]\w*\b/g, '"$&"'],
]

/** The rules see paths; any other text in quotes is set aside. */
const QUOTED = /'(?:[^']|'')*'/g
const PATH = /^'\$\.\w+'$/

/** Returns the statement for PostgreSQL, its parameters as `$n`. */
export function translate(sql: string): string {
  const texts: string[] = []
  let out = sql.replace(QUOTED, (text) => {
    if (PATH.test(text)) return text
    texts.push(text)
    return `'#${texts.length - 1}'`
  })
  for (const [pattern, replacement] of RULES) out = out.replace(pattern, replacement)
  return numbered(out).replace(/'#(\d+)'/g, (_, nth) => texts[nth] ?? '')
}

/** A bare `?` has the number after the highest one so far. */
function numbered(sql: string): string {
  let highest = 0
  return sql.replace(/\?(\d*)/g, (_, given: string) => {
    const number = given === '' ? highest + 1 : Number(given)
    highest = Math.max(highest, number)
    return `$${number}`
  })
}
