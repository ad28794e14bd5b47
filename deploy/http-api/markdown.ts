import { isDeepStrictEqual } from 'node:util'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import type { JsonSchema } from '../../src/http/openapi/json-schemas.ts'
import { GATED } from '../../src/http/openapi/operation.ts'
import type { MediaTypes, OperationObject, ParameterObject } from '../../src/http/openapi/operation-object.ts'
import { type FieldRow, fieldRows, shallowText, typeText } from './field-rows.ts'

const INTRODUCTION = `# HTTP API

Generated from the OpenAPI document by \`npm run docs:http-api\`; change the schemas in \`src/api/\` or the routes in \`src/http/openapi/\`.
\`GET /api/openapi.json\` serves the document itself.

- Bodies are JSON in UTF-8. Times are ISO 8601 in UTC; names that end with \`_ms\` are milliseconds.
- Routes below \`/api/admin/\` and \`/api/agent/\` ask for the header \`X-Gateway-Secret\`. Without \`gateway_secret\` in the configuration
  they answer 404.
- \`POST /api/incidents\` asks for \`Authorization: Bearer <http.intake_token>\` if the configuration has a token.
- \`GET\` routes also answer \`HEAD\`; every route answers \`OPTIONS\`.
- Request line and headers are at most 4,096 bytes. A longer head is answered 431 and its connection is closed; when a body follows it,
  the client may see a reset connection in place of the answer.
- An error is \`{"error": "..."}\`, with the cause and what to do about it. [Operations](operations.md#errors) lists all codes.`

/** Returns the page of the API for people: routes by tag, then the resources that several routes share. */
export function apiMarkdown({ tags, paths, components }: OpenApiDocument): string {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )
  const sections = tags.map(({ name: tag, description }) => {
    const own = routes.filter(({ operation }) => operation.tags.includes(tag))
    return [`## ${titleOf(tag)}`, `${description}.`, ...own.map(({ name, operation }) => routeSection(name, operation))]
  })
  const { Error: _error, ...resources } = components.schemas
  return [
    INTRODUCTION,
    `Errors of every gated route: ${GATED.map(code).join(', ')}.`,
    [...tags.map(({ name }) => `[${titleOf(name)}](#${name})`), '[Resources](#resources)'].join(' · '),
    ...sections.flat(),
    '## Resources',
    ...Object.entries(resources).map((each, at, all) => resourceSection(each, all.slice(0, at))),
  ]
    .join('\n\n')
    .concat('\n')
}

function routeSection(name: string, operation: OperationObject): string {
  const { summary, description, parameters, requestBody, responses } = operation
  const bodies = Object.entries(requestBody?.content ?? {})
  const contents = Object.entries(responses).flatMap(([status, { content }]) =>
    isError(content) ? [] : Object.values(content ?? {}).map(({ schema }) => [status, schema] as const),
  )
  return [
    `### \`${name}\``,
    wrapped(description === undefined ? `${summary}.` : `${summary}. ${description}`),
    ...parameterTable(parameters.filter(({ in: place }) => place !== 'path')),
    ...bodies.flatMap(([mediaType, { schema }]) => [
      `Body ${code(mediaType)}: ${contentText(schema)}`,
      ...contentFields(schema),
    ]),
    statusTable(operation),
    ...contents.flatMap(([status, schema]) =>
      contentFields(schema).flatMap((fields) => [`Fields of ${status}:`, fields]),
    ),
  ].join('\n\n')
}

const isError = (content: MediaTypes | undefined) =>
  content?.['application/json']?.schema.$ref === '#/components/schemas/Error'

/** A line per status; without the errors that every gated route has. */
function statusTable({ responses, security }: OperationObject): string {
  const common: readonly string[] = security.length === 0 ? [] : GATED
  const rows = Object.entries(responses).flatMap(([status, { description, content }]) => {
    if (!isError(content)) return [[status, description, bodyText(content)]]
    const codes = Array.from(description.matchAll(/`(\w+)`: /g), ([, each = '']) => each)
    const own = codes.filter((each) => !common.includes(each))
    return own.length === 0 ? [] : [[status, own.map(code).join(', '), 'error']]
  })
  return table(['status', 'meaning', 'body'], rows)
}

function bodyText(content: MediaTypes = {}): string {
  const texts = Object.entries(content).map(([mediaType, { schema }]) =>
    mediaType === 'application/json' ? contentText(schema) : code(mediaType),
  )
  return texts.join(' or ')
}

/** A small object as it stands, a resource as a link, anything else by its type. */
function contentText(schema: JsonSchema): string {
  const text = shallowText(schema) ?? typeText(schema)
  return schema.description === undefined ? text : `${text}: ${schema.description}`
}

/** Returns the table of an object's fields; empty for a resource, a small object, or a type without fields. */
function contentFields(schema: JsonSchema): string[] {
  const rows = shallowText(schema) === undefined ? fieldRows(schema) : []
  return rows.length === 0 ? [] : [fieldTable(rows)]
}

function parameterTable(parameters: readonly ParameterObject[]): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => [
    code(name),
    place,
    typeText(schema) + (required ? ', required' : ''),
    description,
  ])
  return [table(['parameter', 'in', 'type', 'meaning'], rows)]
}

/** Returns the section of a resource. When it extends one of `above`, it links that one and lists only added fields. */
function resourceSection([name, schema]: NamedSchema, above: readonly NamedSchema[]): string {
  const rows = fieldRows(schema)
  const has = (row: FieldRow) => rows.some((own) => isDeepStrictEqual(own, row))
  const base = above.find(([, other]) => other.properties !== undefined && fieldRows(other).every(has))
  const inherited = base === undefined ? [] : fieldRows(base[1])
  const own = rows.filter((row) => !inherited.some((other) => isDeepStrictEqual(other, row)))
  return [
    `### ${name}`,
    ...(schema.description === undefined ? [] : [wrapped(`${schema.description}.`)]),
    ...(base ? [`All fields of [${base[0]}](#${base[0].toLowerCase()}), and:`] : []),
    own.length === 0 ? `${typeText(schema)}.` : fieldTable(own),
  ].join('\n\n')
}

type NamedSchema = readonly [name: string, schema: JsonSchema]

function fieldTable(rows: readonly FieldRow[]): string {
  return table(
    ['field', 'type', 'meaning'],
    rows.map(({ path, type, required, meaning }) => [code(path), type + (required ? '' : ', optional'), meaning]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const WIDTH = 120

/** Breaks a paragraph into lines. */
function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}

const titleOf = (tag: string) => tag.charAt(0).toUpperCase() + tag.slice(1)
const code = (text: string) => `\`${text}\``
