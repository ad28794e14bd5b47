import type { Node } from '../templates/handlebars-internals.ts'
import { DOT } from './leading-dots.ts'

/** A construct that is not supported, such as partials. `node` has its position. */
export class UnsupportedSyntax extends Error {
  readonly node: Node
  constructor(node: Node, reason: string) {
    super(reason)
    this.node = node
  }
}

interface Names {
  readonly blocks: ReadonlySet<string>
  /** Helpers by name, with the minimum number of arguments. */
  readonly helpers: ReadonlyMap<string, number>
}

/**
 * Rewrites a tree in place: values are printed through `$out` (escaped) or `$raw`, and a name is read as a field where
 * it cannot be a helper call. Throws `UnsupportedSyntax`.
 */
export function prepareTree(program: Node, names: Names): void {
  for (const statement of program.body ?? []) prepareStatement(statement, names)
}

function prepareStatement(node: Node, names: Names): void {
  switch (node.type) {
    case 'MustacheStatement':
      return prepareMustache(node, names)
    case 'BlockStatement':
      return prepareBlock(node, names)
    case 'ContentStatement':
      // Restores dots in raw blocks, which `markDots` replaced.
      node.value = String(node.value).replaceAll(DOT, '.')
      return
    case 'CommentStatement':
      return
    default:
      throw new UnsupportedSyntax(
        node,
        `${node.type.startsWith('Partial') ? 'partials' : 'decorators'} are not supported`,
      )
  }
}

function prepareMustache(node: Node, names: Names): void {
  const value = expression(node, names)
  node.params = [value]
  delete node.hash
  node.path = named(node.escaped ? '$out' : '$raw', node)
  node.escaped = false
}

function prepareBlock(node: Node, names: Names): void {
  const name = simpleName(node.path)
  if (name !== undefined && names.blocks.has(name)) {
    node.params = (node.params ?? []).map((param) => expression(param, names))
    if (node.params.length !== 1) throw new UnsupportedSyntax(node, `#${name} takes one value`)
  } else if ((node.params ?? []).length > 0 && !(name !== undefined && names.helpers.has(name))) {
    throw new UnsupportedSyntax(node, `helper "${shown(node.path)}" is not defined`)
  } else {
    node.params = [expression({ type: 'MustacheStatement', ...pick(node) }, names)]
    node.path = named('$section', node)
  }
  for (const pair of node.hash?.pairs ?? []) pair.value = expression(pair.value, names)
  if (node.program) prepareTree(node.program, names)
  if (node.inverse) prepareTree(node.inverse, names)
}

const pick = ({ path, params, loc }: Node): Partial<Node> => ({
  ...(path && { path }),
  ...(params && { params }),
  ...(loc && { loc }),
})

/** Rewrites an expression to a field or a call of a known helper. */
function expression(node: Node, names: Names): Node {
  if (node.type === 'PathExpression') return fieldRead(node, names)
  if (node.type !== 'SubExpression' && node.type !== 'MustacheStatement') return node
  const path = node.path ?? node
  const params = node.params ?? []
  const name = simpleName(path)
  const minArgs = name === undefined ? undefined : names.helpers.get(name)
  if (params.length === 0 && (minArgs === undefined || minArgs > 0)) return fieldRead(path, names)
  if (name === undefined || minArgs === undefined)
    throw new UnsupportedSyntax(node, `helper "${shown(path)}" is not defined`)
  return {
    type: 'SubExpression',
    path: named(name, node),
    params: params.map((param) => expression(param, names)),
    ...(node.loc && { loc: node.loc }),
  }
}

function fieldRead(node: Node, names: Names): Node {
  if (node.type !== 'PathExpression') return node
  const [head, ...rest] = node.parts ?? []
  if (typeof head === 'object') throw new UnsupportedSyntax(node, 'a call cannot head a path')
  if (!head?.startsWith(DOT)) {
    const call = node.parts?.length === 1 && !node.depth && !node.data && names.helpers.get(head ?? '') === 0
    return call && simpleName(node) !== undefined ? { ...node, type: 'SubExpression', path: node, params: [] } : node
  }
  return { ...node, parts: [head.slice(1), ...rest], original: `this.${[head.slice(1), ...rest].join('.')}` }
}

/** Returns the name of a path that is a single word without dot, `../` or `@`; else undefined. */
function simpleName(path: Node | undefined): string | undefined {
  const [name] = path?.parts ?? []
  const bare = path?.type === 'PathExpression' && path.parts?.length === 1 && !path.depth && !path.data
  return bare && typeof name === 'string' && path.original === name && !name.startsWith(DOT) ? name : undefined
}

const shown = (path: Node | undefined) => String(path?.original ?? '').replaceAll(DOT, '.')

const named = (name: string, { loc }: Node): Node => ({
  type: 'PathExpression',
  data: false,
  depth: 0,
  parts: [name],
  original: name,
  ...(loc && { loc }),
})
