import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import forge from 'node-forge'

/** A key, the certificate that was issued for it, and what it may issue in turn. */
export interface Identity {
  readonly key: KeyObject
  readonly pem: string
  readonly keyPem: string
}

export interface Wanted {
  readonly cn: string
  /** Names of a leaf; absent: an authority. */
  readonly hosts?: readonly string[]
  /** Absent: signs itself. */
  readonly issuer?: Identity
  readonly bits?: number
  /** Days from now. */
  readonly validFrom?: number
  readonly validTo?: number
  /** Address of the issuer's certificate, as the certificate names it. */
  readonly issuerAddress?: string
}

const DAY_MS = 86_400_000
let serial = 1

/** A certificate that is trusted only in these tests. */
export function issue(wanted: Wanted): Identity {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: wanted.bits ?? 2_048 })
  const keyPem = key.export({ type: 'pkcs1', format: 'pem' }).toString()
  const own = forge.pki.privateKeyFromPem(keyPem)
  const cert = forge.pki.createCertificate()
  cert.publicKey = forge.pki.setRsaPublicKey(own.n, own.e)
  cert.serialNumber = `01${(serial++).toString(16).padStart(6, '0')}`
  cert.validity.notBefore = new Date(Date.now() + (wanted.validFrom ?? -1) * DAY_MS)
  cert.validity.notAfter = new Date(Date.now() + (wanted.validTo ?? 30) * DAY_MS)
  const subject = [{ name: 'commonName', value: wanted.cn }]
  const { issuer } = wanted
  cert.setSubject(subject)
  cert.setIssuer(issuer === undefined ? subject : forge.pki.certificateFromPem(issuer.pem).subject.attributes)
  cert.setExtensions(extensionsOf(wanted))
  cert.sign(issuer === undefined ? own : forge.pki.privateKeyFromPem(issuer.keyPem), forge.md.sha256.create())
  return { key, keyPem, pem: forge.pki.certificateToPem(cert) }
}

function extensionsOf({ hosts, issuerAddress }: Wanted): object[] {
  const kind =
    hosts === undefined
      ? [
          { name: 'basicConstraints', cA: true, critical: true },
          { name: 'keyUsage', keyCertSign: true, cRLSign: true },
        ]
      : [
          { name: 'basicConstraints', cA: false },
          { name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2, value })) },
        ]
  return issuerAddress === undefined ? kind : [...kind, { id: AUTHORITY_ACCESS, value: caIssuers(issuerAddress) }]
}

const AUTHORITY_ACCESS = '1.3.6.1.5.5.7.1.1'
const CA_ISSUERS = '1.3.6.1.5.5.7.48.2'

/** The extension that node-forge has no name for (RFC 5280, 4.2.2.1). */
function caIssuers(address: string): forge.asn1.Asn1 {
  const { Class, Type, create, oidToDer } = forge.asn1
  const method = create(Class.UNIVERSAL, Type.OID, false, oidToDer(CA_ISSUERS).getBytes())
  const location = create(Class.CONTEXT_SPECIFIC, 6 as forge.asn1.Type, false, address)
  const description = create(Class.UNIVERSAL, Type.SEQUENCE, true, [method, location])
  return create(Class.UNIVERSAL, Type.SEQUENCE, true, [description])
}

/** DER, as authorities publish their certificates. */
export const derOf = ({ pem }: Identity) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
