import { type HttpOptions, startHttp } from './http.ts'
import { HTTP_KINDS } from './kinds.ts'
import type { Provider } from './provider.ts'
import { type SmtpOptions, startSmtp } from './smtp.ts'

export type { Received, Reply } from './exchange.ts'
export type { Provider } from './provider.ts'

export type ProviderKind = keyof typeof HTTP_KINDS | 'email'

/** Starts a stand-in of the kind on the loopback interface. */
export function startProvider(kind: ProviderKind, options: HttpOptions & SmtpOptions = {}): Promise<Provider> {
  return kind === 'email' ? startSmtp(options) : startHttp(kind, HTTP_KINDS[kind], options)
}
