import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { isTooOld, loadLibrary, OLDEST_VERSION } from '../../../lib/features/passkeys/library.js'

describe('@simplewebauthn/server', () => {
  const description = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

  it('is refused below the version that mends GHSA-6hxq-p678-4hr2, when it is installed and when it is loaded', () => {
    expect(description.peerDependencies['@simplewebauthn/server']).to.equal(`>=${OLDEST_VERSION}`)
    for (const version of ['13.3.1', '13.2.99', '13.0.0', '12.0.0', '9.0.3', '13.3.1-beta.1']) {
      expect(isTooOld(version), version).to.equal(true)
    }
    for (const version of ['13.3.2', '13.3.3', '13.4.0', '14.0.0', '100.0.0', 'unknown']) {
      expect(isTooOld(version), version).to.equal(false)
    }
  })

  it('is loaded as it is installed here', async () => {
    expect(await loadLibrary()).to.have.property('verifyRegistrationResponse')
  })
})
