import { expect } from 'chai'
import { AuthError, errorOf, SignInError, withoutDetails } from '../../lib/kernel/errors.js'
import { ERROR_CLASSES } from '../support/error-classes.js'

const unreadable = (member: string) =>
  Object.defineProperty(new Error('x'), member, {
    get: () => {
      throw new Error('no access')
    },
  })

describe('an error that is handed on without its details', () => {
  it('is made of any that an application or a library throws, and making it never throws', () => {
    const odd: unknown[] = [
      Object.assign(new Error('x'), { message: { access_token: 'secret' } }),
      Object.assign(new Error('x'), {
        message: Symbol('x'),
        name: Symbol('x'),
        stack: 7,
        code: { access_token: 'secret' },
      }),
      ...['message', 'name', 'stack', 'code', 'cause'].map(unreadable),
      Object.assign(new Error('x'), { cause: unreadable('message') }),
      null,
      Symbol('x'),
    ]
    for (const thrown of odd) {
      const bare = withoutDetails(thrown)
      expect(bare).to.be.an('error')
      for (const text of [bare.name, bare.message]) expect(text).to.be.a('string')
      expect(JSON.stringify(Object.getOwnPropertyDescriptors(bare))).to.not.contain('access_token')
    }
  })

  it('keeps name, message, code, stack and causes', () => {
    const cause = Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED', response: 'secret' })
    const bare = withoutDetails(new RangeError('down', { cause }))
    expect([bare.name, bare.message, bare.stack]).to.satisfy(
      ([name, message, stack]: string[]) =>
        name === 'RangeError' && message === 'down' && stack?.includes('errors.test'),
    )
    expect(bare.cause).to.include({ name: 'TypeError', message: 'refused', code: 'ECONNREFUSED' })
    expect(bare.cause).to.not.have.property('response')
  })
})

/** Of each type: the page, how it is shown there, who caused it, and its code there. */
const RULES = `
AccessDenied error AccessDenied either
AccountNotLinked signIn AccountNotLinked visitor
AccountTokenError error Configuration either
AdapterError error Configuration
AuthError error Configuration
CallbackRouteError error Configuration
CredentialsSignin signIn CredentialsSignin visitor
DuplicateConditionalUI error Configuration
EmailNotConfirmed error EmailNotConfirmed either
EmailSignInError signIn EmailSignin either
ErrorPageLoop error Configuration
EventError error Configuration
ExperimentalFeatureNotEnabled error Configuration
InvalidCallbackUrl error Configuration visitor
InvalidCheck signIn OAuthCallbackError visitor
InvalidConfiguration error Configuration
InvalidEndpoints error Configuration
InvalidProvider error Configuration
JWTSessionError error Configuration
LogoutTokenError error Configuration either
MissingAdapter error Configuration
MissingAdapterMethods error Configuration
MissingAuthorize error Configuration
MissingCSRF signIn MissingCSRF visitor
MissingSecret error Configuration
MissingWebAuthnAutocomplete error Configuration
OAuthAccountNotLinked signIn OAuthAccountNotLinked visitor
OAuthCallbackError signIn OAuthCallbackError visitor
OAuthProfileParseError error Configuration
OAuthSignInError error Configuration
PasswordRefused error Configuration
RecentSignInRequired signIn RecentSignInRequired visitor
RequestRefused error Configuration visitor
SessionChanged signIn SessionChanged visitor
SessionTokenError error Configuration
SignInError signIn Signin either
SignInExpired signIn OAuthCallbackError either SignInExpired
SignOutError error SignOut
UnknownAction error Configuration visitor
UnsupportedStrategy error Configuration
UntrustedHost error Configuration
Verification error Verification visitor
WebAuthnVerificationError error WebAuthnVerificationError visitor
`

describe('the rule of a class of errors', () => {
  it('is the one that visitors and logs have known, for every class', () => {
    const rules = [...ERROR_CLASSES].map(([type, { rule }]) => {
      const { page, shownAs, by, code, ...rest } = rule
      expect(rest, type).to.deep.equal({})
      return [type, page, shownAs, by ?? (code && '-'), code].filter(Boolean).join(' ')
    })
    expect(rules).to.deep.equal(RULES.trim().split('\n'))
  })

  it('is that of the base, but for what the class says: who caused an error changes nothing that visitors see', () => {
    expect(errorOf('Verification', { by: 'visitor' }).rule).to.deep.equal({ ...AuthError.rule, by: 'visitor' })
    const shown = errorOf('Verification', { shownAs: 'Verification' }, SignInError)
    expect(shown.rule).to.deep.equal({ ...SignInError.rule, shownAs: 'Verification' })
  })
})
