import { X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'
import { CodedError } from '../domain/errors.ts'

const PEM = /^\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*){1,5}$/
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const MIN_RSA_BITS = 2_048

/** A signing certificate and the certificates that were sent with it. */
interface Bundle {
  readonly leaf: X509Certificate
  readonly others: readonly X509Certificate[]
}

/** Parses PEM certificates. Throws topic_certificate, also when there is other text around them, as in a page. */
export function bundleOf(body: Buffer): Bundle {
  const text = body.toString('latin1')
  const blocks = PEM.test(text) ? (text.match(BLOCK) ?? []) : []
  const [leaf, ...others] = blocks.map(parsed)
  if (leaf === undefined) throw distrust('its address holds no certificate in PEM form')
  return { leaf, others }
}

function parsed(source: string | Buffer): X509Certificate {
  try {
    return new X509Certificate(source)
  } catch (cause) {
    throw distrust('it cannot be parsed', cause)
  }
}

/**
 * Checks that the certificate is valid now, is made out to one of `signers`, is no authority's, and has an RSA key of
 * at least 2,048 bits. Throws topic_certificate.
 */
export function refuseUnfit(leaf: X509Certificate, signers: readonly string[], now: number): void {
  const { publicKey, ca } = leaf
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0
  if (ca) throw distrust('it is that of an authority')
  if (publicKey.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS)
    throw distrust(`its key is not RSA of ${MIN_RSA_BITS} bits or more`)
  if (!isValid(leaf, now)) throw distrust('it is not valid today')
  if (!signers.some((name) => leaf.checkHost(name, { wildcards: false }) !== undefined))
    throw distrust(`it is made out to none of ${signers.join(', ')}`)
}

export const isValid = ({ validFrom, validTo }: X509Certificate, now: number) =>
  Date.parse(validFrom) <= now && now <= Date.parse(validTo)

const MAX_ISSUERS = 4

interface Trust {
  readonly now: number
  /** Fetches the certificate of an issuer from the address that a certificate names (RFC 5280, 4.2.2.1). */
  fetchIssuer(address: string): Promise<Buffer>
}

/**
 * Follows the chain of issuers to an authority that this process trusts (NODE_EXTRA_CA_CERTS included). An issuer that
 * is not in the bundle is fetched, because the topic service sends its certificate alone. Throws topic_certificate, and
 * the errors of `fetchIssuer`.
 */
export async function refuseUntrusted({ leaf, others }: Bundle, trust: Trust): Promise<void> {
  const anchors = getCACertificates('default').map(parsed)
  let subject = leaf
  for (let issuers = 0; issuers < MAX_ISSUERS; issuers++) {
    const isIssuer = (each: X509Certificate) => issued(each, subject, trust.now)
    if (anchors.some(isIssuer)) return
    const issuer = others.find(isIssuer) ?? (await fetched(subject, trust))
    if (issuer === undefined || !isIssuer(issuer)) throw distrust('its issuer is not known')
    subject = issuer
  }
  throw distrust('its chain leads to no trusted authority')
}

function issued(issuer: X509Certificate, subject: X509Certificate, now: number): boolean {
  return issuer.ca && isValid(issuer, now) && subject.checkIssued(issuer) && subject.verify(issuer.publicKey)
}

/** Addresses of the authorities that issue for the topic service. A certificate can name no other. */
const ISSUER_ADDRESS =
  /CA Issuers - URI:(http:\/\/[a-z0-9.-]{1,100}\.(?:amazontrust|digicert)\.com\/[\w./-]{1,200})(?:\n|$)/

async function fetched({ infoAccess = '' }: X509Certificate, trust: Trust): Promise<X509Certificate | undefined> {
  const [, address] = ISSUER_ADDRESS.exec(infoAccess) ?? []
  return address === undefined ? undefined : parsed(await trust.fetchIssuer(address))
}

const distrust = (why: string, cause?: unknown) =>
  new CodedError('topic_certificate', `the signing certificate is not trusted: ${why}`, { cause })
