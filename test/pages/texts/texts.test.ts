import { expect } from 'chai'
import { expressAuth } from '../../../lib/index.js'
import { createPageRenderer } from '../../../lib/pages/renderer.js'
import { signInPage } from '../../../lib/pages/signin.js'
import { signOutPage } from '../../../lib/pages/signout.js'
import type { Theme } from '../../../lib/pages/theme.js'
import { testConfig } from '../../support/app.js'
import { visibleText } from '../../support/html.js'

const signOut = async (theme: Theme, acceptLanguage?: string, host?: string) => {
  const input = { action: 'https://app.example/auth/signout', csrfToken: 't', callbackUrl: 'https://app.example/' }
  const view = signOutPage({ ...input, insecure: false, host })
  return (await createPageRenderer({ theme }).render(view, acceptLanguage)).html
}

describe('the texts of the pages', () => {
  it('are replaced one by one, and the rest stays', async () => {
    const html = await signOut({ texts: { en: { 'signOut.submit': 'Log out' } } })
    expect(visibleText(html)).to.include('Log out').and.include('Stay signed in')
  })

  it('are replaced for one language only', async () => {
    const theme: Theme = { texts: { sv: { 'signOut.submit': 'Logga ut' } } }
    expect(visibleText(await signOut(theme, 'sv'))).to.include('Logga ut')
    expect(await signOut(theme, 'sv')).to.include('<html lang="sv">')
    expect(visibleText(await signOut(theme, 'en'))).to.not.include('Logga ut')
  })

  it('name the application as it is called, and its host if it has no name', async () => {
    expect(visibleText(await signOut({ name: 'Acme' }, 'en', 'app.example'))).to.match(/sign out of Acme\s+on this/)
    expect(visibleText(await signOut({}, 'en', 'app.example'))).to.match(/sign out of app\.example\s+on this/)
  })

  it('escape what replaces a text, and what stands in it', async () => {
    const html = await signOut(
      { name: '<b>Acme</b>', texts: { en: { 'signOut.lead': '<i>{site}</i>', 'signOut.title': '<u>x</u>' } } },
      'en',
    )
    expect(html).to.not.match(/<b>|<i>|<u>/)
    expect(html).to.include('&lt;i&gt;<strong><bdi>&lt;b&gt;Acme&lt;/b&gt;</bdi></strong>&lt;/i&gt;')
  })

  it('keep the direction of a name apart from that of the text around it', async () => {
    const html = await signOut({ name: 'Acme', texts: { ar: { 'signOut.title': 'x {site} y' } } }, 'ar')
    expect(html).to.include('<html lang="ar" dir="rtl">')
    expect(html).to.include('<title>x \u2068Acme\u2069 y</title>')
  })

  it('are kept apart by language where a page is rendered once', async () => {
    const { render } = createPageRenderer({ theme: { texts: { sv: { 'signIn.title': 'Logga in' } } } })
    const urls = { signIn: (id: string) => `/signin/${id}`, callback: (id: string) => `/callback/${id}` }
    const view = signInPage({ providers: [], urls, csrfToken: '', callbackUrl: '', insecure: false })
    const pattern = {}
    for (const [language, title] of [
      ['sv', 'Logga in'],
      ['en', 'Sign in'],
      ['sv', 'Logga in'],
    ] as const) {
      expect((await render({ ...view, pattern }, language)).html).to.include(`<title>${title}</title>`)
    }
  })

  it('may have a template of the application in place of ours', async () => {
    const html = await signOut({
      views: { signout: "<% layout('@layout', { icon: 'exit' }) %><p>Bye, <%= it.site %></p>" },
    })
    expect(visibleText(html)).to.include('Bye, this site')
  })
})

describe('a theme that could not be shown', () => {
  const start = (theme: Theme) => () => expressAuth(testConfig({ theme }))
  it('is refused: a misspelt colour, or a logo relative to each page', () => {
    expect(start({ brandColor: 'purpel' })).to.throw(/`theme\.brandColor` is "purpel"; it must be a colour/)
    expect(start({ buttonText: '#12345' })).to.throw(/`theme\.buttonText`/)
    for (const logo of ['logo.png', './logo.png', '//cdn.example/logo.png', 'javascript:alert(1)'])
      expect(start({ logo }), logo).to.throw(/`theme\.logo` .* it must be a path that begins with \//)
  })

  it('is not refused: every colour and logo that the pages show, and empty ones', () => {
    for (const brandColor of ['', 'purple', '#0f6b5c', 'rgb(1, 2, 3)']) expect(start({ brandColor })).not.to.throw()
    for (const logo of ['', '/logo.svg', 'https://cdn.example/l.svg', 'data:image/png;base64,AA=='])
      expect(start({ logo }), logo).not.to.throw()
  })
})

describe('a mistake in the texts', () => {
  const start = (theme: unknown) => () => expressAuth(testConfig({ theme: theme as Theme }))
  for (const [what, theme, message] of [
    [
      'a misspelt key',
      { texts: { en: { 'signIn.titel': 'x' } } },
      /Did you mean `theme\.texts\.en\["signIn\.title"\]`/,
    ],
    ['keys without a language', { texts: { 'signIn.title': 'x' } }, /`theme\.texts\.signIn\.title` is no language tag/],
    ['a language that is no tag', { languages: ['German, please'] }, /`theme\.languages`/],
    ['no language at all', { languages: [] }, /`theme\.languages`/],
    [
      'a placeholder that is never replaced',
      { texts: { en: { 'signIn.with': 'With {name}' } } },
      /\{site\} and \{provider\}/,
    ],
    ['a text that is none', { texts: { en: { 'signIn.title': 7 } } }, /`theme\.texts\.en\["signIn\.title"\]`/],
    ['texts that are no object', { texts: { en: 'Hello' } }, /`theme\.texts\.en`/],
  ] as const) {
    it(`is told: ${what}`, () => expect(start(theme)).to.throw(message))
  }
})
