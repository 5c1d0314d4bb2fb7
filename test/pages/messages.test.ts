import { expect } from 'chai'
import { errorMessage, refusalMessage, signInMessage as signInText } from '../../lib/pages/messages.js'
import { inEnglish } from '../../lib/pages/texts/words.js'
import { ERROR_CLASSES } from '../support/error-classes.js'

const signInMessage = (error: string | undefined, code?: string) => {
  const found = signInText(error, code)
  return found && inEnglish(found)
}

const shownOn = (page: string) =>
  [...ERROR_CLASSES.values()].map(({ rule }) => rule).filter((rule) => rule.page === page)

const GENERAL = 'We could not sign you in. Please try again.'

const SPECIFIED = [
  'Signin',
  'OAuthSignin',
  'OAuthCallbackError',
  'OAuthCreateAccount',
  'EmailCreateAccount',
  'Callback',
  'OAuthAccountNotLinked',
  'EmailSignin',
  'CredentialsSignin',
  'SessionRequired',
  'MissingCSRF',
  'AccountNotLinked',
]

describe('signInMessage', () => {
  it('says more where a code does, and takes no other code for one', () => {
    const general = signInMessage('OAuthCallbackError')
    const expired = signInMessage('OAuthCallbackError', 'SignInExpired')
    expect(expired)
      .to.match(/in time.*start again right here/)
      .and.not.match(/clock/)
    for (const code of ['', 'credentials', 'constructor', '__proto__', '<b>']) {
      expect(signInMessage('OAuthCallbackError', code), code).to.equal(general)
    }
    for (const error of ['CredentialsSignin', 'constructor', '__proto__', 'unknown']) {
      expect(signInMessage(error, 'SignInExpired'), error).to.equal(signInMessage(error))
    }
    expect(signInMessage(undefined, 'SignInExpired')).to.equal(null)
  })

  for (const code of SPECIFIED) {
    it(`has a text of its own for ${code}`, () => {
      expect(signInMessage(code)).to.be.a('string').that.is.not.equal(GENERAL)
    })
  }
  it('has a text of its own for every error that the sign-in page shows', () => {
    for (const { shownAs } of shownOn('signIn')) expect(signInMessage(shownAs), shownAs).to.not.equal(GENERAL)
  })
  it('says what happened to a sign-in that came back in vain, and that it can be started again here', () => {
    expect(signInMessage('OAuthCallbackError')).to.match(
      /cancelled.*too long.*already been used.*start again right here/,
    )
  })
  for (const unknown of [
    'x',
    'signin',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    '<script>alert(1)</script>',
  ]) {
    it(`has one fixed text for ${unknown}`, () => expect(signInMessage(unknown)).to.equal(GENERAL))
  }
  it('is silent without an error', () => {
    expect(signInMessage(undefined)).to.equal(null)
    expect(signInMessage('')).to.equal(null)
  })
})

describe('errorMessage', () => {
  it('has a text of its own for each code of the error page', () => {
    const general = errorMessage(undefined)
    for (const code of ['Configuration', 'AccessDenied', 'SignOut', 'Verification', 'WebAuthnVerificationError']) {
      expect(errorMessage(code), code).to.not.deep.equal(general)
    }
  })
  it('has a text of its own for every error that the error page shows', () => {
    for (const { shownAs } of shownOn('error')) {
      expect(errorMessage(shownAs), shownAs).to.not.deep.equal(errorMessage(undefined))
    }
  })
  it('says to nobody without access that they signed in or have an account, and where to ask', () => {
    const text = inEnglish(errorMessage('AccessDenied').text)
    expect(text).to.not.match(/signed in|this account/)
    expect(text).to.include('ask the people who run this site')
  })
  it('has one fixed text for every other value', () => {
    for (const unknown of ['', 'x', '__proto__', 'constructor', '<b>']) {
      expect(errorMessage(unknown)).to.deep.equal(errorMessage(undefined))
    }
  })
})

describe('refusalMessage', () => {
  it('tells 404, 405, 413 and 415 apart, and has one text for the rest', () => {
    const titles = [400, 404, 405, 413, 415].map((status) => refusalMessage(status).title.key)
    expect(new Set(titles).size).to.equal(5)
    expect(refusalMessage(422)).to.deep.equal(refusalMessage(400))
  })
})
