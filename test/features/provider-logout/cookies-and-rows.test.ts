import { ADA } from '../../support/app.js'
import { keepForms } from '../../support/written-forms.js'

describe('cookies and rows of a sign-out at the provider have the forms that they had', () => {
  keepForms({
    file: new URL('cookies-and-rows.json', import.meta.url),
    entry: { endSession: 'offer' },
    async run({ browser, provider, clock }) {
      const visitor = browser()
      await visitor.post(null, '/auth/callback/credentials', { ...ADA, remember: 'on' })
      clock.advance({ days: 2 })
      await visitor.post('a sign-out where one at the provider is offered', '/auth/signout', {})
      const known = browser()
      await known.atProvider('a provider')
      const left = await known.post('a sign-out at the provider', '/auth/signout', { endSession: 'true' })
      const sent = await known.send('a sign-out at the provider: goes there', left.headers.get('location') ?? '')
      const back = await provider.visit(sent.headers.get('location'))
      await known.send('a sign-out at the provider: comes back', back.href)
      await browser().atProvider('a provider, after a sign-out there')
    },
  })
})
