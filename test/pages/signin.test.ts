import { expect } from 'chai'
import { addressTakenMessage } from '../../lib/pages/messages.js'
import type { PageProvider } from '../../lib/pages/provider-forms.js'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { type SignInPageInput, signInPage } from '../../lib/pages/signin.js'
import { inEnglish } from '../../lib/pages/texts/words.js'
import { elements, visibleText } from '../support/html.js'
import { ADDRESS_AND_PASSWORD, CREDENTIALS, EMAIL, FEW, PASSKEY } from '../support/page-samples.js'

const BASE = 'https://app.example/auth'

const view = (providers: readonly PageProvider[], more: Partial<SignInPageInput> = {}) =>
  signInPage({
    providers,
    urls: { signIn: (id) => `${BASE}/signin/${id}`, callback: (id) => `${BASE}/callback/${id}` },
    csrfToken: 'the-token',
    callbackUrl: 'https://app.example/inbox?a=1&b=2',
    insecure: false,
    ...more,
  })

const html = async (...input: Parameters<typeof view>) =>
  (await createPageRenderer({ theme: {} }).render(view(...input))).html

const inputs = async (fields: Record<string, object>) =>
  elements(await html([{ ...CREDENTIALS, fields } as PageProvider]), 'input').slice(2)

describe('the sign-in page', () => {
  it('has no blank in the id of a field, and the caption finds the field', async () => {
    const fields = { 'Full name': {}, 'a\tb\u00a0c': {}, pin: { id: 'my pin' } }
    const page = await html([{ ...CREDENTIALS, fields } as PageProvider])
    const ids = elements(page, 'input').flatMap((input) => input.get('id') ?? [])
    expect(ids).to.have.length(3)
    for (const id of ids) expect(id).to.match(/^\S+$/)
    expect(elements(page, 'label').map((label) => label.get('for'))).to.deep.equal(ids)
  })

  it('asks "New here?" once, with a passkey and a page to sign up', async () => {
    const renderer = await createPageRenderer({ theme: { links: { signUp: 'https://app.example/join' } } })
    for (const providers of [[PASSKEY], [EMAIL, PASSKEY], [CREDENTIALS], [CREDENTIALS, PASSKEY], [EMAIL]]) {
      const { html: page } = await renderer.render(view(providers))
      expect(page.match(/New here\?/g), providers.map(({ id }) => id).join()).to.have.length(1)
      expect(visibleText(page)).to.match(/New here\? ?Create an account/)
      const register = elements(page, 'button').find((button) => button.has('data-register'))
      expect(register?.get('form')).to.equal(providers.includes(PASSKEY) ? 'passkey-form' : undefined)
      // Without a script, nobody misses the passkey.
      expect(register?.has('hidden') ?? true).to.equal(true)
    }
  })

  it('offers no new passkey for an address that another user has', async () => {
    for (const providers of [[PASSKEY], [EMAIL, PASSKEY]]) {
      expect(await html(providers)).to.include('data-register')
      const page = await html(providers, {
        email: 'ada@example.com',
        addressTaken: addressTakenMessage('GitHub', { isProven: true, hasOtherId: false }),
      })
      expect(page).to.include('Sign in with a passkey').and.not.include('data-register')
      expect(visibleText(page)).to.not.include('New here?')
    }
  })

  it('has its forms in the configured order, all of them POST', async () => {
    const forms = elements(await html([EMAIL, ...FEW, CREDENTIALS, PASSKEY]), 'form')
    expect(forms.map((form) => form.get('action'))).to.deep.equal([
      `${BASE}/signin/email`,
      `${BASE}/signin/github`,
      `${BASE}/signin/google`,
      `${BASE}/signin/keycloak`,
      `${BASE}/callback/credentials`,
    ])
    expect(forms.every((form) => form.get('method') === 'post')).to.equal(true)
  })

  it('sends the CSRF token and its own return target with every form', async () => {
    const hidden = elements(await html([EMAIL, FEW[0] as PageProvider, CREDENTIALS, PASSKEY]), 'input').filter(
      (input) => input.get('type') === 'hidden',
    )
    const values = hidden.map((input) => [input.get('name'), input.get('value')])
    const one = [
      ['csrfToken', 'the-token'],
      ['callbackUrl', 'https://app.example/inbox?a=1&b=2'],
    ]
    expect(values).to.deep.equal([...one, ...one, ...one])
  })

  it('marks the button that was used last for everybody, and keeps its name', async () => {
    const page = await html([...FEW, CREDENTIALS], { lastUsed: 'google' })
    const described = elements(page, 'button').map((button) => button.has('aria-describedby'))
    expect(described).to.deep.equal([false, true, false, false])
    expect(visibleText(page)).to.match(/Sign in with\s+Google\s+Used last\s+K\s+Sign in with\s+Keycloak/)
    expect(elements(page, 'span').filter((span) => span.get('id') === 'last-used')).to.have.lengthOf(1)
  })

  for (const [lastUsed, name] of [
    ['passkey', 'Sign in with a passkey'],
    ['email', 'E-mail me a link'],
    ['credentials', 'Sign in'],
  ] as const) {
    it(`marks the button of the shared form that stands for ${lastUsed}`, async () => {
      const page = await html([PASSKEY, EMAIL, ADDRESS_AND_PASSWORD], { lastUsed })
      expect(visibleText(page)).to.include(`${name} Used last`)
      expect(elements(page, 'button').filter((button) => button.has('aria-describedby'))).to.have.lengthOf(1)
    })
  }

  describe('with several ways that ask for an address', () => {
    const WAYS = [PASSKEY, EMAIL, ADDRESS_AND_PASSWORD]
    const names = (page: string) =>
      elements(page, 'input')
        .filter((input) => input.get('type') !== 'hidden')
        .map((input) => input.get('name'))

    it('has one form, one field for the address, and one main button, which is the first', async () => {
      const page = await html(WAYS)
      expect(elements(page, 'form').map((form) => form.get('action'))).to.deep.equal([`${BASE}/callback/credentials`])
      expect(names(page)).to.deep.equal(['email', 'password'])
      expect(elements(page, 'button').map((button) => [button.get('class'), button.get('formaction')])).to.deep.equal([
        ['primary', undefined],
        ['quiet', `${BASE}/signin/email`],
        ['quiet', undefined],
        [undefined, undefined],
      ])
    })

    it('lets somebody without a password have a link', async () => {
      const [, mail] = elements(await html(WAYS), 'button')
      expect(mail?.has('formnovalidate')).to.equal(true)
    })

    it('lets browsers suggest passkeys and passwords for the address', async () => {
      const address = elements(await html(WAYS), 'input').find((input) => input.get('name') === 'email')
      expect(address?.get('autocomplete')).to.equal('username webauthn')
    })

    it('mails a link with the main button, if there is no password', async () => {
      const page = await html([PASSKEY, EMAIL])
      expect(elements(page, 'form').map((form) => form.get('action'))).to.deep.equal([`${BASE}/signin/email`])
      expect(names(page)).to.deep.equal(['email'])
    })

    it('stands where the first of its ways is', async () => {
      const actions = async (providers: readonly PageProvider[]) =>
        elements(await html(providers), 'form').map((form) => form.get('action'))
      const [github] = FEW as [PageProvider]
      expect(await actions([EMAIL, github, PASSKEY])).to.deep.equal([`${BASE}/signin/email`, `${BASE}/signin/github`])
      expect(await actions([github, EMAIL, PASSKEY])).to.deep.equal([`${BASE}/signin/github`, `${BASE}/signin/email`])
    })

    it('leaves a form of its own to another name, a second provider, and a form with a target of its own', async () => {
      const forms = async (providers: readonly PageProvider[]) => elements(await html(providers), 'form').length
      const targeted = { ...ADDRESS_AND_PASSWORD, fields: { email: {}, callbackUrl: {} } } as PageProvider
      expect(await forms([EMAIL, CREDENTIALS])).to.equal(2)
      expect(await forms([EMAIL, targeted])).to.equal(2)
      expect(await forms([EMAIL, PASSKEY, { ...EMAIL, id: 'other' }])).to.equal(2)
    })

    it('has the message of a wrong password, and that of a failed mail, in the form, and elsewhere above all', async () => {
      for (const error of ['CredentialsSignin', 'EmailSignin', 'OAuthCallbackError']) {
        const { message, sections } = view([...FEW, ...WAYS], { error })
        const [form] = sections.flatMap((section) => (section.kind === 'form' ? [section.form] : []))
        const isOfForm = error !== 'OAuthCallbackError'
        expect([message === null, form?.message !== null], error).to.deep.equal([isOfForm, isOfForm])
      }
    })
  })

  describe('where visitors are asked whether to stay signed in', () => {
    const boxes = async (...input: Parameters<typeof view>) =>
      elements(await html(...input), 'input').filter((input) => input.get('name') === 'remember')

    it('has one box in each form, with a label of its own', async () => {
      const page = await html([EMAIL, ...FEW, CREDENTIALS, PASSKEY], { remember: { isTicked: false, isAsked: true } })
      const found = elements(page, 'input').filter((input) => input.get('name') === 'remember')
      expect(found).to.have.length(3)
      for (const box of found) expect(box.get('type')).to.equal('checkbox')
      expect(found.filter((box) => box.has('checked'))).to.deep.equal([])
      const labels = elements(page, 'label').map((label) => label.get('for'))
      const ids = found.map((box) => box.get('id') ?? '')
      expect(new Set(ids).size).to.equal(3)
      expect(labels).to.include.members(ids)
    })

    it('has one form for neighbouring buttons, and each button leads to its provider', async () => {
      const page = await html(FEW, { remember: { isTicked: false, isAsked: true } })
      expect(elements(page, 'form')).to.have.length(1)
      expect(elements(page, 'button').map((button) => button.get('formaction'))).to.deep.equal([
        `${BASE}/signin/github`,
        `${BASE}/signin/google`,
        `${BASE}/signin/keycloak`,
      ])
    })

    it('keeps the tick of a failed attempt', async () => {
      const found = await boxes([CREDENTIALS, ...FEW], {
        remember: { isTicked: true, isAsked: true },
        error: 'CredentialsSignin',
      })
      expect(found.map((box) => box.has('checked'))).to.deep.equal([true, true])
    })

    it('has a field of the application with that name in place of the box', async () => {
      const own = { ...CREDENTIALS, fields: { remember: { label: 'For a month', type: 'checkbox' } } } as PageProvider
      const found = await boxes([own], { remember: { isTicked: true, isAsked: true } })
      expect(found.map((box) => box.has('checked'))).to.deep.equal([false])
    })
  })

  it('names every provider on its button', async () => {
    const text = visibleText(await html([...FEW, CREDENTIALS, EMAIL, PASSKEY]))
    expect(text).to.include('Sign in with GitHub')
    expect(text).to.include('Sign in with Keycloak')
    expect(text).to.include('E-mail me a link')
    expect(text).to.include('Sign in with a passkey')
    expect(text).to.not.include('Credentials')
  })

  it('names a credentials provider that has a name of its own', async () => {
    expect(visibleText(await html([{ ...CREDENTIALS, name: 'LDAP' }]))).to.include('Sign in with LDAP')
  })

  it('is a button for a credentials provider that asks for nothing', async () => {
    const page = await html([{ ...CREDENTIALS, name: 'Guest', fields: {} } as PageProvider])
    expect(elements(page, 'form').map((form) => form.get('action'))).to.deep.equal([`${BASE}/callback/credentials`])
    expect(elements(page, 'input').map((input) => input.get('type'))).to.deep.equal(['hidden', 'hidden'])
    expect(visibleText(page)).to.include('Sign in with Guest')
  })

  it('leaves out a credentials or passkey provider without a form', async () => {
    const none = [
      { ...CREDENTIALS, fields: null },
      { ...PASSKEY, formFields: {} },
    ] as PageProvider[]
    const page = await html(none)
    expect(elements(page, 'form')).to.have.length(0)
    expect(visibleText(page)).to.include('no way to sign in')
  })

  it('gives the form of a passkey provider the id that scripts look for', async () => {
    expect(elements(await html([PASSKEY]), 'form')[0]?.get('id')).to.equal('passkey-form')
  })

  it('is laid out in columns for many providers, and shows a single one as the main button', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({
      id: `p${index}`,
      name: `P${index}`,
      type: 'oauth' as const,
    }))
    expect(view(many).layout).to.equal('wide')
    expect(view(many.slice(1)).layout).to.equal('column')
    expect(view(many.slice(8)).layout).to.equal('sole')
    expect(view([...many.slice(8), CREDENTIALS]).layout).to.equal('column')
  })

  it('shows the host that is signed in to', async () => {
    expect(visibleText(await html(FEW, { host: 'app.example' }))).to.include('to continue to app.example')
  })

  describe('error and code', () => {
    it('says what went wrong, as an alert that describes the page', async () => {
      const page = await html(FEW, { error: 'OAuthCallbackError' })
      expect(page).to.match(/<div class="alert" role="alert" id="message">/)
      expect(elements(page, 'main')[0]?.get('aria-describedby')).to.equal('message')
      expect(visibleText(page)).to.include('start again right here')
    })

    it('never shows an unknown value, nor the code', async () => {
      const page = await html([CREDENTIALS], { error: 'Mallory was here', code: 'call +1 555' })
      expect(page).to.not.match(/Mallory|555/)
      expect(visibleText(page)).to.include('We could not sign you in.')
    })

    it('has the text of CredentialsSignin for every code', () => {
      const texts = [undefined, 'credentials', 'account-locked'].map(
        (code) => view([CREDENTIALS], { error: 'CredentialsSignin', code }).message?.key,
      )
      expect(new Set(texts).size).to.equal(1)
    })
  })

  describe('the fields of a form', () => {
    it('carry every attribute that was given, and the key as name', async () => {
      const [field] = await inputs({
        badge: {
          label: 'Badge',
          placeholder: 'B-1',
          maxLength: 9,
          pattern: '[A-Z]-"\\d"',
          'data-x': 'y',
          value: 7,
          type: 'search',
        },
      })
      expect(Object.fromEntries(field ?? [])).to.deep.include({
        name: 'badge',
        type: 'search',
        placeholder: 'B-1',
        maxlength: '9',
        pattern: '[A-Z]-"\\d"',
        'data-x': 'y',
        value: '7',
      })
    })

    it('are text by default, captioned by their name', async () => {
      const page = await html([{ ...CREDENTIALS, fields: { badge: {} } } as PageProvider])
      expect(elements(page, 'input')[2]?.get('type')).to.equal('text')
      expect(page).to.match(/<label for="input-badge-for-credentials-provider"><bdi>Badge<\/bdi><\/label>/)
    })

    it('take boolean attributes as HTML does', async () => {
      const [field] = await inputs({
        a: { readonly: true, disabled: false, spellcheck: false, 'aria-busy': false, title: null },
      })
      expect(field?.has('readonly')).to.equal(true)
      expect(field?.has('disabled')).to.equal(false)
      expect(field?.has('title')).to.equal(false)
      expect(field?.get('spellcheck')).to.equal('false')
      expect(field?.get('aria-busy')).to.equal('false')
    })

    it('drop handlers, inline styles and names that are no attribute', async () => {
      const [field] = await inputs({
        a: {
          onfocus: 'alert(1)',
          onClick: 'alert(1)',
          ONINPUT: 'alert(1)',
          style: 'color:red',
          'x><script>': '1',
          'a b': '1',
          '"': '1',
          form: 'other',
          name: 'csrfToken',
          fn: () => 1,
          nested: {},
        },
      })
      expect([...(field?.keys() ?? [])]).to.have.members(['id', 'name', 'type', 'autofocus'])
      expect(field?.get('name')).to.equal('a')
    })

    it('know the usual ones', async () => {
      const [user, password, email, code] = await inputs({
        username: {},
        password: { type: 'password' },
        mail: { type: 'email' },
        totp: {},
      })
      expect(user?.get('autocomplete')).to.equal('username')
      expect(password?.get('autocomplete')).to.equal('current-password')
      expect(email?.get('autocomplete')).to.equal('email')
      expect(code?.get('autocomplete')).to.equal('one-time-code')
      expect([user, password, email, code].map((field) => field?.has('required'))).to.deep.equal([
        true,
        true,
        true,
        false,
      ])
    })

    it('have a caption of words, and never the bare name', () => {
      const captions = (fields: Record<string, object>) =>
        view([{ ...CREDENTIALS, fields } as PageProvider])
          .sections.flatMap((section) => (section.kind === 'form' ? section.form.fields : []))
          .map(({ label }) => inEnglish(label))
      const names = [
        'userName',
        'user-name',
        'firstName',
        'customerID',
        'HTTPToken',
        'address.street[0]',
        'größeInCm',
        'otp',
      ]
      expect(captions(Object.fromEntries(names.map((name) => [name, {}])))).to.deep.equal([
        'User name',
        'User name',
        'First name',
        'Customer ID',
        'HTTP token',
        'Address street 0',
        'Größe in cm',
        'Code',
      ])
      expect(captions({ badgeNumber: { label: '  ' } })).to.deep.equal(['Badge number'])
    })

    it('have the link to a forgotten password only where somebody enters the password that they have', async () => {
      const links = async (fields: Record<string, object>) => {
        const theme = { links: { forgot: '/forgot' } }
        const page = await createPageRenderer({ theme }).render(view([{ ...CREDENTIALS, fields } as PageProvider]))
        return elements(page.html, 'a').map((link) => link.get('href'))
      }
      expect(await links({ username: {}, password: { type: 'password' } })).to.deep.equal(['/forgot'])
      expect(await links({ a: { type: 'password', autocomplete: 'off' } })).to.deep.equal(['/forgot'])
      expect(await links({ username: {}, otp: {}, email: { type: 'email' } })).to.deep.equal([])
      expect(await links({ email: {}, password: { type: 'password', autocomplete: 'new-password' } })).to.deep.equal([])
    })

    it('leave the last word to the application', async () => {
      const [password] = await inputs({ password: { type: 'password', autoComplete: 'new-password', required: false } })
      expect(password?.get('autocomplete')).to.equal('new-password')
      expect(password?.has('required')).to.equal(false)
    })

    it('cannot take the place of the CSRF token', async () => {
      const page = await html([{ ...CREDENTIALS, fields: { csrfToken: { value: 'mine' }, a: {} } } as PageProvider])
      expect(elements(page, 'input').map((input) => input.get('name'))).to.deep.equal(['csrfToken', 'callbackUrl', 'a'])
    })

    it('may decide on the return target', async () => {
      const fields = { callbackUrl: { type: 'hidden', value: '/testApp' }, a: {} }
      const page = await html([{ ...CREDENTIALS, fields } as PageProvider])
      const targets = elements(page, 'input').filter((input) => input.get('name') === 'callbackUrl')
      expect(targets.map((input) => input.get('value'))).to.deep.equal(['/testApp'])
    })
  })

  describe('the e-mail field', () => {
    it('is filled in from the query', async () => {
      const [, , field] = elements(await html([EMAIL], { email: 'ada+1@example.com' }), 'input')
      expect(field?.get('value')).to.equal('ada+1@example.com')
      expect(field?.get('name')).to.equal('email')
    })
    for (const email of [
      'no address',
      'a@b@c d',
      'a\n@b.example',
      `${'a'.repeat(250)}@b.example`,
      '<i>@b.example',
      'a\u202e@b.example',
    ]) {
      it(`is left empty for ${JSON.stringify(email.slice(0, 20))}`, async () => {
        const [, , field] = elements(await html([EMAIL], { email }), 'input')
        expect(field?.get('value')).to.equal('')
      })
    }
  })

  describe('the cursor', () => {
    const focused = async (...input: Parameters<typeof view>) =>
      elements(await html(...input), 'input')
        .filter((field) => field.has('autofocus'))
        .map((field) => field.get('name'))

    it('stands in a form that comes first', async () =>
      expect(await focused([CREDENTIALS, ...FEW])).to.deep.equal(['username']))
    it('is nowhere when buttons come first', async () => expect(await focused([...FEW, CREDENTIALS])).to.deep.equal([]))
    it('goes to the form that has just failed', async () => {
      expect(await focused([...FEW, EMAIL, CREDENTIALS], { error: 'CredentialsSignin' })).to.deep.equal(['username'])
      expect(await focused([...FEW, CREDENTIALS, EMAIL], { error: 'EmailSignin' })).to.deep.equal(['email'])
    })
    it('stays where the application put it', async () => {
      const fields = { a: {}, b: { autofocus: true } }
      expect(await focused([{ ...CREDENTIALS, fields } as PageProvider])).to.deep.equal(['b'])
    })
    it('skips hidden fields and checkboxes', async () => {
      const fields = { a: { type: 'hidden' }, b: { type: 'checkbox' }, c: {} }
      expect(await focused([{ ...CREDENTIALS, fields } as PageProvider])).to.deep.equal(['c'])
    })
    it('tells a screen reader there why the form failed', async () => {
      const page = await html([...FEW, CREDENTIALS], { error: 'CredentialsSignin' })
      const field = elements(page, 'input').find((input) => input.get('name') === 'username')
      expect(field?.get('aria-describedby')).to.equal('message')
    })
  })
})
