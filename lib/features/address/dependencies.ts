import type { Store } from '../../adapters/gateway.js'
import { RequestRefused } from '../../kernel/errors.js'
import type { Config, ServiceKey } from '../../sign-in/config.js'
import type { MailedLinks } from '../../sign-in/mailed-links.js'
import type { Visit } from '../../sign-in/visit.js'

/** A change that somebody has asked for. It stops counting when the user, an address or the session in it changes. */
export interface AddressLink {
  readonly userId: string
  /** The address that is to be replaced, which somebody has confirmed; empty for none. */
  readonly from: string
  /** The address that takes its place. */
  readonly to: string
  /** Public id of the session in which it was asked for; null where nobody knows it. */
  readonly sessionId: string | null
}

/** What changes addresses. */
export interface AddressService {
  readonly store: Store
  readonly links: MailedLinks<AddressLink>
  /** Id of the e-mail provider that mails the links. */
  readonly sender: string
  /** The one form of an entered address; null if the provider takes no such address. */
  addressOf(entered: unknown): string | null
  /** Mails a link that confirms an address. Throws as `Mailer.send` does. */
  sendLink(visit: Visit, email: string, url: string): Promise<void>
  /** Tells an address that it has an account already. Throws as `Mailer.send` does. */
  sendTaken(visit: Visit, email: string): Promise<void>
}

/** What changes addresses, loaded at the first use. Null if no mail can be sent, or the adapter lacks a method. */
export const ADDRESSES: ServiceKey<(() => Promise<AddressService>) | null> = { name: 'addresses' }

/** @throws {RequestRefused} 404 where nothing changes addresses */
export const serviceOf = ({ config }: Visit): Promise<AddressService> => addressesIn(config)

/** @throws {RequestRefused} 404 where nothing changes addresses */
export async function addressesIn(config: Pick<Config, 'services'>): Promise<AddressService> {
  const load = config.services.get(ADDRESSES)
  if (load) return load()
  throw new RequestRefused(404, 'The configuration lets nobody change an address.')
}
