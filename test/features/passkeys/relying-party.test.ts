import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { resolveConfig } from '../../../lib/compose.js'
import type { WebAuthnUserConfig } from '../../../lib/index.js'
import { incomingFromRequest } from '../../../lib/kernel/incoming.js'
import Passkey from '../../../lib/providers/passkey.js'
import { FLOWS } from '../../../lib/sign-in/flow.js'
import { Visit } from '../../../lib/sign-in/visit.js'
import { passwords, testConfig } from '../../support/app.js'

/** What the flow of a provider says its passkeys are for, at a request. */
async function domainAt(origin: string, options: WebAuthnUserConfig = {}): Promise<string | undefined> {
  const config = resolveConfig(testConfig({ providers: [passwords, Passkey(options)], adapter: memoryAdapter() }))
  const incoming = incomingFromRequest(new Request(`${origin}/account?tenant=b`, { headers: { 'x-tenant': 'a' } }))
  const visit = new Visit(incoming, { origin, basePath: '/auth' }, config)
  return config.services.get(FLOWS).get('passkey')?.relyingPartyId?.(visit)
}

describe('the domain that the browser gets when a passkey is removed', () => {
  it('is the host', async () => {
    expect(await domainAt('https://app.example')).to.equal('app.example')
    expect(await domainAt('http://localhost:3000')).to.equal('localhost')
  })

  it('is the configured one, of several that which the host lies in', async () => {
    const id = ['example.org', 'app.example']
    expect(await domainAt('https://www.app.example', { relayingParty: { id: 'app.example' } })).to.equal('app.example')
    expect(await domainAt('https://www.app.example', { relayingParty: { id } })).to.equal('app.example')
    expect(await domainAt('https://elsewhere.example', { relayingParty: { id } })).to.equal('example.org')
  })

  it('is what the hook gives for the request', async () => {
    const getRelayingParty: WebAuthnUserConfig['getRelayingParty'] = (_, { headers, query, url }) => ({
      id: `${headers['x-tenant']}.${query.tenant}.example`,
      name: 'Tenant',
      origin: url.origin,
    })
    expect(await domainAt('https://shared.example', { getRelayingParty })).to.equal('a.b.example')
    const relayingParty = { id: 'app.example' }
    expect(await domainAt('https://app.example', { getRelayingParty, relayingParty }), 'configured').to.equal(
      'app.example',
    )
  })
})
