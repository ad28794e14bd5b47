import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { buildConnector, EnvHttpProxyAgent, fetch } from 'undici'

/** Longest answer that is read, in bytes. */
const MAX_BYTES = 256 * 1024

/**
 * Returns a `fetch` for requests to a model. It follows no redirect, reads answers of at most 256 KiB, and refuses
 * link-local addresses, where clouds give out credentials; private and loopback ones need `allowPrivate`. The address
 * is looked at when it connects. Through a proxy (HTTPS_PROXY, HTTP_PROXY, NO_PROXY) it cannot be seen.
 */
export function modelFetch({ allowPrivate }: { readonly allowPrivate: boolean }): typeof globalThis.fetch {
  const refused = (address: string) => {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (LINK_LOCAL.check(address, family)) return `${address} is a link-local address, which no model may have`
    if (!allowPrivate && PRIVATE.check(address, family))
      return `${address} is a private address: set allow_private for this provider if that is meant`
    return undefined
  }
  const lookup: LookupFunction = (host, options, callback) =>
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const reason = found.map(({ address }) => refused(address)).find(Boolean)
      if (reason !== undefined) return callback(new Error(reason), [])
      if (options.all) return callback(null, found)
      callback(null, found[0]?.address ?? '', found[0]?.family)
    })
  const connector = buildConnector({ lookup })
  const connect: typeof connector = (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const reason = isIP(host) === 0 ? undefined : refused(host)
    return reason === undefined ? connector(options, callback) : callback(new Error(reason), null)
  }
  const dispatcher = new EnvHttpProxyAgent({ connect })
  return async (url, init) => {
    const answer = await fetch(url as string, { ...(init as object), dispatcher, redirect: 'error' })
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    const { status, headers } = answer
    return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, headers: [...headers] })
  }
}

const LINK_LOCAL = new BlockList()
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4')
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6')

const PRIVATE = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['::', 127],
  ['fc00::', 7],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6')
