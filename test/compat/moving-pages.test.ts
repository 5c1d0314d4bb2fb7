import { createHash } from 'node:crypto'
import AuthJsCredentials from '@auth/core/providers/credentials'
import { expect } from 'chai'
import type { AuthConfig, Provider } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { SECRET } from '../support/app.js'
import { formsOf, submit } from '../support/forms.js'
import { PACKAGE_NAMES, type PackageName, type SwitchableApp, startSwitchableApp } from '../support/switchable-app.js'
import type { Visitor } from '../support/visitor.js'

const CSRF = 'authjs.csrf-token'
const quiet = { error: () => {}, warn: () => {}, debug: () => {} }
const GUEST = { id: '7', name: 'Guest', email: null, image: null }

const guests = (side: PackageName): Provider => {
  const config = { credentials: {}, authorize: () => GUEST }
  return side === 'authjs' ? (AuthJsCredentials(config as never) as unknown as Provider) : Credentials(config as never)
}

const signed = (token: string, rest = '') =>
  encodeURIComponent(
    `${token}|${createHash('sha256')
      .update(token + SECRET)
      .digest('hex')}${rest}`,
  )

/** What the same visits see on both sides. */
async function compare<Seen>(
  config: (side: PackageName) => Partial<AuthConfig>,
  visit: (visitor: Visitor, side: PackageName) => Promise<Seen>,
): Promise<Record<PackageName, Seen>> {
  const app: SwitchableApp = await startSwitchableApp((side) => ({
    secret: SECRET,
    trustHost: true,
    logger: quiet,
    providers: [guests(side)],
    ...config(side),
  }))
  try {
    const seen = {} as Record<PackageName, Seen>
    for (const side of PACKAGE_NAMES) {
      app.run(side)
      seen[side] = await visit(app.visitor(), side)
    }
    return seen
  } finally {
    await app.close()
  }
}

describe('the same pages under @auth/express and Latchkey', () => {
  for (const [page, action] of [
    ['signIn', 'signin'],
    ['signOut', 'signout'],
  ]) {
    it(`hand the CSRF cookie out on the way to a ${page} page of the application's own`, async () => {
      const { authjs, latchkey } = await compare(
        () => ({ pages: { [page as string]: '/own' } }),
        async (visitor) => {
          const { status, location } = await visitor.get(`/auth/${action}`)
          expect({ status, path: location?.pathname }).to.deep.equal({ status: 302, path: '/own' })
          // A page that the server renders reads the token out of the cookie.
          const [csrfToken = ''] = decodeURIComponent(visitor.jar.get(CSRF) ?? '').split('|')
          expect(csrfToken).to.match(/^[0-9a-f]{64}$/)
          await visitor.post('/auth/callback/credentials', { csrfToken })
          return (await visitor.session())?.user?.name
        },
      )
      expect(latchkey).to.equal('Guest')
      expect(latchkey).to.equal(authjs)
    })
  }

  it('keep the cookie that a visitor has on the way to a page of the application’s own', async () => {
    const { latchkey } = await compare(
      () => ({ pages: { signIn: '/own' } }),
      async (visitor) => {
        await visitor.csrfToken()
        return (await visitor.get('/auth/signin')).cookies.has(CSRF)
      },
    )
    expect(latchkey).to.equal(false)
  })

  it('have a button for a credentials provider that asks for nothing', async () => {
    const { authjs, latchkey } = await compare(
      () => ({}),
      async (visitor) => {
        const page = await visitor.get('/auth/signin')
        expect(formsOf(page).map(({ action }) => new URL(action, visitor.origin).pathname)).to.deep.equal([
          '/auth/callback/credentials',
        ])
        await submit(visitor, page, '/callback/credentials')
        return (await visitor.session())?.user?.name
      },
    )
    expect(latchkey).to.equal('Guest')
    expect(latchkey).to.equal(authjs)
  })

  it('have nothing for a credentials provider that does not say what it asks for', async () => {
    const bare = { id: 'credentials', name: 'Credentials', type: 'credentials', authorize: () => GUEST }
    const { authjs, latchkey } = await compare(
      () => ({ providers: [bare as unknown as Provider] }),
      async (visitor) => formsOf(await visitor.get('/auth/signin')).length,
    )
    expect(latchkey).to.equal(0)
    expect(authjs).to.equal(0)
  })

  /** Tokens that an application may have chosen, and what is in the cookie behind the hash. */
  const OWN_TOKENS: Readonly<Record<string, readonly [token: string, rest?: string]>> = {
    'of words': ['chosen by the application'],
    'of one letter': ['x'],
    'in capitals': ['AB'.repeat(32)],
    'with what a cookie name cannot have': ['a;b=c, "d"/é'],
    'that begins like ours': [`${'ab'.repeat(4)};x`],
    'with another part behind the hash': ['chosen', '|more|and more'],
  }
  for (const [what, [token, rest = '']] of Object.entries(OWN_TOKENS)) {
    it(`take a CSRF token that the application chose, ${what}`, async () => {
      const { authjs, latchkey } = await compare(
        () => ({}),
        async (visitor) => {
          visitor.jar.set(CSRF, signed(token, rest))
          expect(await visitor.csrfToken()).to.equal(token)
          const page = await visitor.get('/auth/signin')
          expect(page.cookies.has(CSRF)).to.equal(false)
          await visitor.post('/auth/callback/credentials', { csrfToken: token })
          return (await visitor.session())?.user?.name
        },
      )
      expect(latchkey).to.equal('Guest')
      expect(latchkey).to.equal(authjs)
    })
  }
})
