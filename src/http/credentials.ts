import { bearerOf, Secret } from './auth.ts'

/** Headers in which a client can show a key, in lower case. */
export const CREDENTIAL_HEADERS = ['authorization', 'x-gateway-secret'] as const

/**
 * Returns the keys that a client shows: of `Authorization: Bearer`, of `Basic` the password, of `X-Gateway-Secret`. Empty
 * without one.
 *
 * @param headers those of `CREDENTIAL_HEADERS`
 */
export function credentialsOf(headers: { readonly [name: string]: string }): string[] {
  const { authorization = '', 'x-gateway-secret': secret = '' } = headers
  return [bearerOf(authorization), passwordOf(authorization), secret].filter((key) => key !== '')
}

/** Returns the password of an `Authorization: Basic` header, '' without one. Any user name will do. */
function passwordOf(header: string): string {
  const encoded = /^basic +(\S+)$/i.exec(header)?.[1]
  if (encoded === undefined) return ''
  const pair = Buffer.from(encoded, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}

/** Configured keys by their names. */
export class KeyRing {
  readonly #secrets: readonly (readonly [name: string, secret: Secret])[]

  constructor(keys: ReadonlyMap<string, string>) {
    this.#secrets = Array.from(keys, ([name, key]) => [name, new Secret(key)] as const)
  }

  /** Returns the name of the key; undefined for an unknown one. Compares with every key, so the time tells nothing. */
  nameOf(given: string): string | undefined {
    let found: string | undefined
    for (const [name, secret] of this.#secrets) if (secret.matches(given)) found = name
    return found
  }
}
