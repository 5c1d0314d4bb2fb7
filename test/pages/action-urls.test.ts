import { expect } from 'chai'
import { actionUrls, withParams } from '../../lib/pages/action-urls.js'

const ORIGIN = 'https://app.example'

describe('the URLs of a mount', () => {
  it('stand under its path, or under the root', () => {
    const deep = actionUrls(ORIGIN, '/deep/auth', {})
    expect(deep.mount).to.equal(`${ORIGIN}/deep/auth`)
    expect(deep.action('signin')).to.equal(`${ORIGIN}/deep/auth/signin`)
    expect(deep.action('callback', 'acme')).to.equal(`${ORIGIN}/deep/auth/callback/acme`)
    expect(actionUrls(ORIGIN, '', {}).action('signout')).to.equal(`${ORIGIN}/signout`)
  })

  it('lead to the built-in pages of failures, or to those of the application', () => {
    const own = actionUrls(ORIGIN, '/auth', { signIn: '/login?tab=1#form', error: 'https://help.example/oops' })
    const builtIn = actionUrls(ORIGIN, '/auth', {})
    const params = { error: 'CredentialsSignin', code: 'a b&c', absent: undefined }
    expect(builtIn.errorTarget('signIn', params)).to.equal(`${ORIGIN}/auth/signin?error=CredentialsSignin&code=a+b%26c`)
    expect(builtIn.errorTarget('error', { error: 'AccessDenied' })).to.equal(`${ORIGIN}/auth/error?error=AccessDenied`)
    expect(own.errorTarget('signIn', params)).to.equal(
      `${ORIGIN}/login?tab=1&error=CredentialsSignin&code=a+b%26c#form`,
    )
    expect(own.errorTarget('error', { error: 'X' })).to.equal('https://help.example/oops?error=X')
  })
})

describe('withParams', () => {
  const CASES = [
    ['/login', { a: '1' }, '/login?a=1'],
    ['/login?x=1', { a: '1' }, '/login?x=1&a=1'],
    ['/login#top', { a: '1' }, '/login?a=1#top'],
    ['/login', {}, '/login'],
    ['/.//login', { a: '1' }, '/login?a=1'],
    ['/x/..//login', {}, '/login'],
    ['/login', { a: undefined, b: '' }, '/login?b='],
    ['/login', { a: '/x?y=1&z=2#w' }, '/login?a=%2Fx%3Fy%3D1%26z%3D2%23w'],
    ['https://other.example/login?x=1', { a: 'ü' }, 'https://other.example/login?x=1&a=%C3%BC'],
  ] as const
  for (const [address, params, expected] of CASES) {
    it(`${address} and ${JSON.stringify(params)} give ${expected}`, () => {
      expect(withParams(address, params, ORIGIN)).to.equal(expected)
    })
  }
})
