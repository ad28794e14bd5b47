import { X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'
import { CodedError } from '../domain/errors.ts'

const PEM = /^\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*){1,5}$/
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const MIN_RSA_BITS = 2_048

/** A signing certificate and what came with it, parsed. */
interface Bundle {
  readonly leaf: X509Certificate
  readonly others: readonly X509Certificate[]
}

/** Takes certificates and nothing around them: a page that merely holds one is none. Throws `topic_certificate`. */
export function bundleOf(body: Buffer): Bundle {
  const text = body.toString('latin1')
  const blocks = PEM.test(text) ? (text.match(BLOCK) ?? []) : []
  const [leaf, ...others] = blocks.map(parsed)
  if (leaf === undefined) throw distrust('what its address holds is not a certificate in PEM')
  return { leaf, others }
}

function parsed(source: string | Buffer): X509Certificate {
  try {
    return new X509Certificate(source)
  } catch (cause) {
    throw distrust('it cannot be parsed', cause)
  }
}

/** The leaf must sign for one of `signers`, today, with a key worth the name. Throws `topic_certificate`. */
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
  /** The certificate at an address that a certificate names as its issuer's (RFC 5280, 4.2.2.1). */
  fetchIssuer(address: string): Promise<Buffer>
}

/**
 * Follows the issuers up to one that this runtime trusts (NODE_EXTRA_CA_CERTS included). The topic service hands out its certificate alone, so an
 * issuer that did not come along is fetched from where the certificate says. Throws `topic_certificate`.
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
  throw distrust('no authority that is trusted stands above it')
}

function issued(issuer: X509Certificate, subject: X509Certificate, now: number): boolean {
  return issuer.ca && isValid(issuer, now) && subject.checkIssued(issuer) && subject.verify(issuer.publicKey)
}

/** Hosts of the authorities that issue for the topic service; no other is asked, whatever a certificate says. */
const ISSUER_ADDRESS =
  /CA Issuers - URI:(http:\/\/[a-z0-9.-]{1,100}\.(?:amazontrust|digicert)\.com\/[\w./-]{1,200})(?:\n|$)/

async function fetched({ infoAccess = '' }: X509Certificate, trust: Trust): Promise<X509Certificate | undefined> {
  const [, address] = ISSUER_ADDRESS.exec(infoAccess) ?? []
  return address === undefined ? undefined : parsed(await trust.fetchIssuer(address))
}

const distrust = (why: string, cause?: unknown) =>
  new CodedError('topic_certificate', `the signing certificate is not trusted: ${why}`, { cause })
