import { expect } from 'chai'
import { InvalidConfiguration, removePasskey, renamePasskey } from '../../../lib/index.js'
import { testConfig } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { untyped } from '../../support/untyped.js'

describe('the options of a call', () => {
  const config = testConfig()

  it('fail before a store is asked, if they are about a passkey', async () => {
    const headers = { host: 'localhost', origin: 'http://localhost' }
    const request = untyped<Parameters<typeof removePasskey>[0]>({ method: 'POST', headers, socket: {} })
    for (const [removal, says] of [
      [{ credentialID: 'x', maxAuthAge: 'Infinity' }, '`maxAuthAge` is'],
      [{ credentialID: 'x', maxAge: 60 }, 'Did you mean `maxAuthAge`?'],
      [{ credentialID: 'x', signInOtherwise: true }, 'Did you mean `signsInOtherwise`?'],
      [{ credentialID: 'x', signsInOtherwise: 'true' }, '`signsInOtherwise` is'],
      [{ credentialId: 'x' }, 'Did you mean `credentialID`?'],
      ['x', 'are a string'],
      [undefined, 'are undefined'],
    ] as const) {
      const error = await failureOf(removePasskey(request, config, untyped(removal)))
      expect(error, says).to.be.instanceOf(InvalidConfiguration)
      expect(error.message).to.contain(says).and.contain('removePasskey(req, config, removal)')
    }
    const error = await failureOf(
      renamePasskey(request, config, untyped({ credentialID: 'x', name: 'y', csrftoken: 'z' })),
    )
    expect(error).to.be.instanceOf(InvalidConfiguration)
    expect(error.message).to.contain('Did you mean `csrfToken`?')
  })
})
