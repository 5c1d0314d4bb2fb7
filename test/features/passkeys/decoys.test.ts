import { expect } from 'chai'
import { createDecoys } from '../../../lib/features/passkeys/dependencies.js'
import { NEW, OLD, STEPS } from '../../rotation/processes.js'

describe('passkeys that nobody has', () => {
  it('WEBAUTHN-21: change once while the secret is exchanged, and not at each step', () => {
    const shown = Object.values(STEPS).map((secrets) => JSON.stringify(createDecoys(secrets)('nobody@example.com')))
    const changes = shown.slice(1).filter((each, index) => each !== shown[index])
    expect(changes).to.have.length(1)
    expect(JSON.stringify(createDecoys([OLD, NEW])('a@example.com'))).to.equal(
      JSON.stringify(createDecoys([NEW, OLD])('a@example.com')),
    )
  })
})
