import type { ProviderSession, SessionDetails } from '../adapters/adapter.js'

/** Where a session began, as its row says; undefined if that is not known. */
export function providerSessionIn({ provider, subject, sid }: SessionDetails): ProviderSession | undefined {
  if (typeof provider !== 'string' || provider === '') return undefined
  return { provider, ...(typeof subject === 'string' && { subject }), ...(typeof sid === 'string' && { sid }) }
}
