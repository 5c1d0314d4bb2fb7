import { ADA } from '../support/app.js'
import { keepForms } from '../support/written-forms.js'

describe('cookies and rows have the forms that they had', () => {
  keepForms({
    file: new URL('cookies-and-rows.json', import.meta.url),
    async run({ browser, mailbox, clock }, hasStore) {
      const visitor = browser()
      await visitor.send('the sign-in page', '/auth/signin?callbackUrl=/after')
      await visitor.post('a wrong password', '/auth/callback/credentials', { ...ADA, password: 'wrong' })
      await visitor.post('a password', '/auth/callback/credentials', { ...ADA, remember: 'on' })
      await visitor.post('an update of the session', '/auth/session', { data: '{}' })
      clock.advance({ days: 2 })
      await visitor.send('two days later', '/auth/session')
      await visitor.post('a sign-out', '/auth/signout', {})
      await browser().atProvider('a provider')
      await browser().atProvider('a provider, again')
      if (!hasStore) return
      const reader = browser()
      await reader.post('a mailed link: asks for it', '/auth/signin/email', { email: 'mail@example.com' })
      await reader.send('a mailed link: follows it', await mailbox.linkFor('mail@example.com'))
    },
  })
})
