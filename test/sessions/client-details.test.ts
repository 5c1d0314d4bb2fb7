import { expect } from 'chai'
import type { RequestContext } from '../../lib/kernel/request-context.js'
import { clientDetails } from '../../lib/sessions/session-use.js'
import { requestContext } from '../support/request-context.js'

/** What is kept of a client with this address. */
const networkFor = (address: unknown) =>
  clientDetails({ ...requestContext(''), clientAddress: () => address } as RequestContext).network

const withAgent = (agent: string | undefined) =>
  clientDetails({ ...requestContext(''), header: (name) => (name === 'user-agent' ? agent : undefined) }).userAgent

describe('what the list of sessions keeps of a client', () => {
  it('is the network of the address, without the bits of one household', () => {
    expect(networkFor('203.0.113.77')).to.equal('203.0.113.0/24')
    expect(networkFor('::ffff:203.0.113.77')).to.equal('203.0.113.0/24')
    expect(networkFor('2001:db8:7:42:1:2:3:4')).to.equal('2001:db8:7::/48')
    expect(networkFor('2001:db8::1')).to.equal('2001:db8::/48')
    expect(networkFor('fe80::1%eth0')).to.equal('fe80::/48')
    expect(networkFor('::1')).to.equal('::/48')
    // Some gateways write the port behind it.
    expect(networkFor('203.0.113.77:8080')).to.equal('203.0.113.0/24')
    expect(networkFor('[2001:db8::1]:443')).to.equal('2001:db8::/48')
  })

  it('is no network for anything that is not an address', () => {
    const strange = [
      '203.0.113.1, 10.0.0.1',
      '203.0.113',
      '0x7f.1',
      'unknown',
      '<b>',
      '',
      '1'.repeat(10_000),
      undefined,
      null,
      42,
      {},
    ]
    for (const address of strange) expect(networkFor(address), String(address)).to.equal(null)
  })

  it('is no network where the framework knows no address, or throws', () => {
    expect(clientDetails(requestContext('')).network).to.equal(null)
    const clientAddress = () => {
      throw new Error('no address while prerendering')
    }
    expect(clientDetails({ ...requestContext(''), clientAddress }).network).to.equal(null)
  })

  it('never comes from a header that any client can send', () => {
    const header = (name: string) => (name === 'user-agent' ? undefined : '198.51.100.7')
    expect(clientDetails({ ...requestContext(''), header, clientAddress: () => '203.0.113.77' })).to.deep.equal({
      userAgent: null,
      network: '203.0.113.0/24',
    })
  })

  it('is the header of the browser, at most 512 characters of it', () => {
    expect(withAgent('Firefox/141.0')).to.equal('Firefox/141.0')
    expect(withAgent('x'.repeat(600))).to.have.length(512)
    for (const empty of ['', '   ', undefined]) expect(withAgent(empty)).to.equal(null)
  })
})
