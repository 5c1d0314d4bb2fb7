import { bannerFor, stopForm } from '../../lib/features/acting/actions.js'
import {
  askForm as askAddress,
  closedForm,
  confirmed,
  confirmForm,
  refused as refusedAddress,
  sentTo as sentToAddress,
} from '../../lib/features/address/pages.js'
import { codeForm, confirmPage, verifyRequestPage } from '../../lib/features/email/send-link-form.js'
import { linkPage } from '../../lib/features/linking/link-action.js'
import {
  askForm,
  CHANGED,
  changeForm,
  chooseForm,
  REMOVE,
  REMOVED,
  refused,
  sentTo,
} from '../../lib/features/password/pages.js'
import {
  addForm,
  FACTOR_ADDED,
  FACTOR_REPLACED,
  factorForm,
  factorGonePage,
  factorThere,
  otherAccountPage,
  REMOVE_FACTOR,
  refusedFactor,
  renewForm,
} from '../../lib/features/second-factor/pages.js'
import { loadTotp } from '../../lib/features/second-factor/totp.js'
import {
  donePage,
  errorPage,
  forbiddenPage,
  refusalPage,
  signedOutMeanwhilePage,
  unavailablePage,
} from '../../lib/pages/error.js'
import { type FormField, formField } from '../../lib/pages/form-field.js'
import type { PageProvider } from '../../lib/pages/provider-forms.js'
import { type SignInPageInput, signInPage } from '../../lib/pages/signin.js'
import { providerLogoutPage, signedOutPage, signOutPage } from '../../lib/pages/signout.js'
import { pageText, type Text, type Wording } from '../../lib/pages/texts/text.js'
import type { Theme } from '../../lib/pages/theme.js'
import type { AccountAction, AccountPart, AccountView, PageView } from '../../lib/pages/view.js'
import { formPage, SESSIONS_ENDED } from '../../lib/sign-in/form-page.js'

/** A page to look at. */
export interface PageSample {
  readonly view: PageView
  readonly theme?: Theme
}

const oauth = (id: string, name: string, brandColor?: string): PageProvider => ({
  id,
  name,
  type: 'oidc',
  style: brandColor ? { brandColor } : {},
})

export const FEW: readonly PageProvider[] = [
  oauth('github', 'GitHub', '#24292f'),
  oauth('google', 'Google', '#1a73e8'),
  oauth('keycloak', 'Keycloak'),
]

export const CREDENTIALS: PageProvider = {
  id: 'credentials',
  name: 'Credentials',
  type: 'credentials',
  fields: {
    username: { label: 'User name', placeholder: 'ada' },
    password: { label: 'Password', type: 'password' },
  },
}

export const EMAIL: PageProvider = { id: 'email', name: 'E-mail', type: 'email' }

/** Credentials whose first field is the address, as a passkey and a mailed link ask for it. */
export const ADDRESS_AND_PASSWORD: PageProvider = {
  id: 'credentials',
  name: 'Credentials',
  type: 'credentials',
  fields: { email: { type: 'email' }, password: { type: 'password' } },
}

export const PASSKEY: PageProvider = {
  id: 'passkey',
  name: 'a passkey',
  type: 'webauthn',
  formFields: { email: { type: 'email', autocomplete: 'username webauthn' } },
}

const MANY: readonly PageProvider[] = [
  ['Apple', '#000000'],
  ['Atlassian', '#0052cc'],
  ['Auth0', '#eb5424'],
  ['Battle.net', '#148eff'],
  ['BoxyHQ SAML Jackson (Ory Polis)', '#25c2a0'],
  ['Discord', '#5865f2'],
  ['Dropbox', '#0061fe'],
  ['Facebook', '#006aff'],
  ['Figma', '#313131'],
  ['FusionAuth', '#f58320'],
  ['GitHub', '#24292f'],
  ['GitLab', '#fc6d26'],
  ['Google', '#1a73e8'],
  ['Hugging Face', '#ffd21e'],
  ['Kakao', '#fee500'],
  ['Keycloak', undefined],
  ['LinkedIn', '#0077b5'],
  ['Linear', '#5e6ad2'],
  ['Microsoft Entra ID', '#0072c6'],
  ['Notion', '#343434'],
  ['Okta', '#000000'],
  ['Passage by 1Password', '#39134c'],
  ['Pinterest', '#bd081c'],
  ['Reddit', '#ff4500'],
  ['Slack', '#611f69'],
  ['Spotify', '#1db954'],
  ['Strava', '#fc4c02'],
  ['Twitch', '#65459b'],
  ['X (Twitter)', '#0f1419'],
  ['VK ID', '#0077ff'],
].map(([name = '', colour]) => oauth(name.toLowerCase().replace(/\W+/g, '-'), name, colour))

const ODD_NAMES: readonly PageProvider[] = [
  oauth('long', 'Zweckverband Donaudampfschifffahrtselektrizitätenhauptbetriebswerk Südost', '#8a2be2'),
  oauth('arabic', 'بوابة الدخول الموحدة (SSO)', '#006c35'),
  oauth('hebrew', 'כניסה מאובטחת 2', '#0038b8'),
  { ...CREDENTIALS, name: 'دليل الشركة' },
]

const LOGO =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"%3E%3Crect width="40" height="40" rx="10" fill="%23d9480f"/%3E%3Ccircle cx="20" cy="20" r="8" fill="white"/%3E%3Crect x="56" y="10" width="100" height="20" rx="6" fill="%23d9480f"/%3E%3C/svg%3E'

const LINKS: Theme = {
  links: { forgot: '/forgot', signUp: '/join', terms: '/terms', privacy: '/privacy', support: '/help' },
}

/** Every page in its shapes, for a server at this origin. */
const EMPTY_PARTS: AccountView['parts'] = [
  { name: 'profile', title: pageText('account.name'), none: pageText('account.name.none'), items: [], actions: [] },
  {
    name: 'passkeys',
    title: pageText('account.passkeys'),
    none: pageText('account.passkeys.none'),
    items: [],
    actions: [],
    passkeyButton: {
      providerId: 'passkey',
      text: pageText('account.passkeys.add'),
      script: '/auth/assets/passkey-buttons.js',
      leadsTo: '/auth/account?done=passkeyAdded',
    },
  },
  {
    name: 'secondFactor',
    title: pageText('secondFactor.title'),
    items: [
      {
        name: pageText('secondFactor.none'),
        facts: [],
        notices: [{ ...pageText('secondFactor.neededFrom'), date: new Date('2026-03-10'), hasTime: true }],
        actions: [{ kind: 'link', url: '/auth/second-factor/add', text: pageText('secondFactor.add.title') }],
      },
    ],
    actions: [],
  },
]

/** What a form asks before it is sent. */
type Asked =
  | { readonly kind: 'form' }
  | { readonly kind: 'question'; readonly question: Text }
  | { readonly kind: 'field'; readonly field: FormField }

function accountView(base: string, form: Pick<AccountView, 'csrfToken' | 'callbackUrl' | 'insecure'>): AccountView {
  const link = (path: string, text: Wording) => ({ kind: 'link' as const, url: `${base}/${path}`, text })
  const send = (path: string, text: Wording, asked: Asked = { kind: 'form' }): AccountAction => ({
    action: `${base}/${path}`,
    hidden: [['id', 'abc']],
    text,
    ...asked,
  })
  const field = (value: string) => ({
    ...formField('name', value.length > 3 ? 'account' : 'passkey', { required: true, value }),
    label: pageText('account.name'),
  })
  const since = { ...pageText('account.since'), date: new Date('2026-03-09') }
  const part = (name: string, shown: AccountPart) => ({ name, ...shown })
  return {
    page: 'account',
    status: 200,
    title: pageText('account.title'),
    user: 'ada@example.com',
    isActing: false,
    done: pageText('account.done.session'),
    message: null,
    host: 'app.example',
    ...form,
    homeUrl: '/',
    signOutUrl: `${base}/signout`,
    passkeyScript: `${base}/assets/passkey-buttons.js`,
    parts: [
      part('profile', {
        title: pageText('account.name'),
        items: [
          {
            name: 'Ada Lovelace',
            facts: [],
            actions: [send('account', pageText('account.change'), { kind: 'field', field: field('Ada Lovelace') })],
          },
        ],
        actions: [],
      }),
      part('address', {
        title: pageText('field.email'),
        items: [
          { name: 'ada@example.com', mark: pageText('account.address.primary'), facts: [], actions: [] },
          {
            name: 'ada.lovelace@analytical-engines.example',
            facts: [],
            actions: [
              send('address/primary', pageText('account.address.makePrimary')),
              send('address/remove', pageText('account.remove'), {
                kind: 'question',
                question: pageText('account.address.question', { address: 'ada.lovelace@analytical-engines.example' }),
              }),
            ],
          },
        ],
        actions: [link('address', pageText('address.add.title'))],
      }),
      part('password', {
        title: pageText('field.password'),
        items: [
          {
            name: pageText('account.password.isSet'),
            facts: [],
            actions: [
              link('password/change', pageText('account.change')),
              { ...link('password/remove', pageText('account.remove')), isDangerous: true },
            ],
          },
        ],
        actions: [],
      }),
      part('passkeys', {
        title: pageText('account.passkeys'),
        items: [
          {
            name: 'Mac',
            facts: [pageText('account.passkeys.synced'), since],
            actions: [
              send('passkeys/rename', pageText('account.rename'), { kind: 'field', field: field('Mac') }),
              send('passkeys/remove', pageText('account.remove'), {
                kind: 'question',
                question: pageText('account.passkeys.question', { name: 'Mac' }),
              }),
            ],
          },
        ],
        actions: [],
        passkeyButton: {
          providerId: 'passkey',
          text: pageText('account.passkeys.add'),
          script: '/auth/assets/passkey-buttons.js',
          leadsTo: '/auth/account?done=passkeyAdded',
        },
      }),
      part('secondFactor', {
        title: pageText('secondFactor.title'),
        items: [
          {
            name: pageText('secondFactor.app'),
            facts: [since],
            notices: [{ ...pageText('secondFactor.resetAt'), date: new Date('2026-03-10'), hasTime: true }],
            actions: [link('second-factor', pageText('secondFactor.keep'))],
          },
        ],
        actions: [],
      }),
      part('accounts', {
        title: pageText('account.accounts'),
        items: [{ name: 'GitHub', facts: [pageText('account.onlyWay')], actions: [] }],
        actions: [link('link/google', pageText('link.submit', { provider: 'Google' }))],
      }),
      part('sessions', {
        title: pageText('account.sessions'),
        items: [
          { name: 'Firefox 141, Linux', mark: pageText('account.sessions.this'), facts: [since], actions: [] },
          {
            name: pageText('account.sessions.unknown'),
            facts: [since, pageText('account.sessions.network', { network: '203.0.113.0/24' })],
            actions: [send('sessions/revoke', pageText('account.sessions.end'))],
          },
        ],
        actions: [send('sessions/revoke', pageText('account.sessions.endOthers'))],
      }),
      part('securityEvents', {
        title: pageText('securityEvents.title'),
        items: (['signIn', 'secondFactorFailed', 'resetAsked'] as const).map((name) => ({
          name: pageText(`securityEvents.${name}`),
          facts: [
            { ...pageText('securityEvents.on'), date: new Date('2026-03-09') },
            pageText('securityEvents.count', { count: '12' }),
            'Firefox 141, Linux',
            pageText('account.sessions.network', { network: '203.0.113.0/24' }),
          ],
          actions: [],
        })),
        actions: [],
      }),
      part('own6', {
        title: 'Your plan',
        lead: 'A part that the application makes.',
        items: [
          {
            name: 'Pro',
            mark: 'Yearly',
            facts: ['3 seats', 'Since March'],
            actions: [send('plan', 'Cancel', { kind: 'question', question: pageText('account.remove') })],
          },
        ],
        actions: [{ kind: 'link', url: `${base}/invoices`, text: 'Invoices' }],
      }),
    ],
  }
}

const CODES = Array.from({ length: 10 }, (_, at) => `4F7K-9QXR-2M${at}T-HVNB-3WYE-8DZA`)
const totp = await loadTotp()
const totpUrl = totp.urlOf('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', { issuer: 'Tickets', label: 'ada@example.com' })

export function pageSamples(origin: string): Readonly<Record<string, PageSample>> {
  const base = `${origin}/auth`
  const urls = { signIn: (id: string) => `${base}/signin/${id}`, callback: (id: string) => `${base}/callback/${id}` }
  const form = { csrfToken: 'f'.repeat(64), callbackUrl: `${origin}/`, host: 'tickets.example.com', insecure: true }
  const signIn = (providers: readonly PageProvider[], more: Partial<SignInPageInput> = {}) =>
    signInPage({ providers, urls, ...form, ...more })
  const signInUrl = `${base}/signin`
  const homeUrl = origin
  const shown = { ...form, signInUrl, homeUrl, mountUrl: base, message: null }
  const addresses = { from: 'ada@example.com', to: 'ada@new.example' }
  const passkeyButton = {
    providerId: 'passkey',
    text: pageText('passkey.submit'),
    script: `${base}/assets/passkey-buttons.js`,
    leadsTo: `${origin}/account`,
  }
  const banner = bannerFor('grace@example.com', base)
  const done = { host: form.host, continueUrl: `${origin}/account` }
  const choice = { token: 'x', email: 'ada@example.com', isAfterTemporary: false, isRemembered: false }
  const sendLink = {
    action: `${base}/signin/email`,
    address: 'ada@example.com',
    isRemembered: false,
    csrfToken: form.csrfToken,
    callbackUrl: form.callbackUrl,
    insecure: true,
  }
  const sent = { form: sendLink, isAgain: false, mails: 'link', lifetimeSeconds: 86_400, code: null } as const
  const otherWay = {
    url: `${base}/second-factor?recovery`,
    text: pageText('secondFactor.useRecovery'),
  }
  const toSignIn = { url: `${base}/signin`, text: pageText('error.toSignIn') }
  const asked = {
    hasApp: true,
    isRecovery: false,
    purpose: 'app',
    backUrl: undefined,
    trustedFor: 0,
    isTicked: false,
    isChosen: false,
    passkeyButton: undefined,
    links: [otherWay],
  } as const
  const offered = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', sealed: 'x', url: totpUrl }
  const code = codeForm(`${base}/callback/email`, 'email', 600)
  return {
    signin: { view: signIn([...FEW, CREDENTIALS]) },
    'signin-error': { view: signIn([...FEW, CREDENTIALS], { error: 'CredentialsSignin' }) },
    'signin-cancelled': { view: signIn(FEW, { error: 'OAuthCallbackError' }) },
    'signin-one': { view: signIn(FEW.slice(0, 1)) },
    'signin-form': { view: signIn([CREDENTIALS], { host: undefined }) },
    'signin-kinds': { view: signIn([EMAIL, PASSKEY, ...FEW], { email: 'ada@example.com' }) },
    'signin-remember': { view: signIn([...FEW, CREDENTIALS], { remember: { isTicked: true, isAsked: true } }) },
    'signin-remember-buttons': { view: signIn(FEW, { remember: { isTicked: false, isAsked: true } }) },
    'signin-remember-kinds': {
      view: signIn([EMAIL, PASSKEY, ...FEW], { remember: { isTicked: false, isAsked: true } }),
    },
    'signin-remember-many': { view: signIn([...MANY, EMAIL], { remember: { isTicked: false, isAsked: true } }) },
    'signin-all': { view: signIn([...FEW, PASSKEY, EMAIL, ADDRESS_AND_PASSWORD]) },
    'signin-all-error': {
      view: signIn([...FEW, PASSKEY, EMAIL, ADDRESS_AND_PASSWORD], { error: 'CredentialsSignin' }),
    },
    'signin-last-used': { view: signIn([...FEW, PASSKEY, EMAIL, ADDRESS_AND_PASSWORD], { lastUsed: 'google' }) },
    'signin-last-used-password': {
      view: signIn([...FEW, PASSKEY, EMAIL, ADDRESS_AND_PASSWORD], { lastUsed: 'credentials' }),
      theme: LINKS,
    },
    'signin-last-used-many': { view: signIn([...MANY, EMAIL], { lastUsed: 'discord' }) },
    'signin-password-first': {
      view: signIn([ADDRESS_AND_PASSWORD, EMAIL, ...FEW], {
        remember: { isTicked: false, isAsked: true },
        lastUsed: 'email',
      }),
    },
    'signin-many': { view: signIn([...MANY, EMAIL]) },
    'signin-names': { view: signIn(ODD_NAMES) },
    'signin-empty': { view: signIn([]) },
    'signin-theme': {
      view: signIn([...FEW.slice(0, 2), CREDENTIALS]),
      theme: { brandColor: '#d9480f', logo: LOGO },
    },
    'signin-yellow': { view: signIn([...FEW.slice(0, 2), CREDENTIALS]), theme: { brandColor: 'gold' } },
    'signin-black': { view: signIn([...FEW.slice(0, 2), CREDENTIALS]), theme: { brandColor: '#000' } },
    signout: { view: signOutPage({ action: `${base}/signout`, ...form }) },
    'signout-acting': { view: signOutPage({ action: `${base}/signout`, ...form, isActing: true }) },
    'signout-offer': {
      view: signOutPage({ action: `${base}/signout`, ...form, endSession: { name: 'Keycloak', isAsked: true } }),
    },
    'signout-always': {
      view: signOutPage({ action: `${base}/signout`, ...form, endSession: { name: 'Keycloak', isAsked: false } }),
    },
    'signout-stale': { view: signOutPage({ action: `${base}/signout`, ...form, error: 'MissingCSRF' }) },
    'refused-form': { view: refusalPage({ status: 409, backUrl: `${origin}/settings`, signInUrl }) },
    link: {
      view: linkPage({
        providerName: 'Acme',
        action: `${base}/link/acme`,
        userName: 'ada@example.com',
        scope: 'https://acme.example/auth/calendar.readonly files:read',
        purpose: 'link',
        letsChoose: true,
        request: 'x',
        ...form,
        error: 'OAuthAccountNotLinked',
      }),
    },
    'link-plain': {
      view: linkPage({
        providerName: 'Acme',
        action: `${base}/link/acme`,
        userName: 'ada@example.com',
        scope: null,
        purpose: 'link',
        letsChoose: false,
        request: null,
        ...form,
      }),
    },
    'link-scope': {
      view: linkPage({
        providerName: 'Acme',
        action: `${base}/link/acme`,
        userName: 'ada@example.com',
        scope: 'https://acme.example/auth/calendar.readonly files:read',
        purpose: 'link',
        letsChoose: false,
        request: 'x',
        ...form,
      }),
    },
    'link-connected': {
      view: linkPage({
        providerName: 'Acme',
        action: `${base}/link/acme`,
        userName: 'ada@example.com',
        scope: null,
        purpose: 'connected',
        letsChoose: false,
        request: null,
        ...form,
      }),
    },
    'link-permission': {
      view: linkPage({
        providerName: 'Acme',
        action: `${base}/link/acme`,
        userName: 'ada@example.com',
        scope: 'files:read',
        purpose: 'permission',
        letsChoose: false,
        request: 'x',
        ...form,
      }),
    },
    'link-cancelled': {
      view: linkPage({
        providerName: 'Acme',
        action: `${base}/link/acme`,
        userName: null,
        scope: null,
        purpose: 'link',
        letsChoose: false,
        request: null,
        ...form,
        error: 'OAuthCallbackError',
      }),
    },
    'password-ask': { view: formPage(askForm(), shown) },
    'password-ask-new': { view: formPage(askForm({ isNew: true }), shown) },
    'password-ask-invited': { view: formPage(askForm({ entered: 'grace@example.com', invited: 'sealed' }), shown) },
    'password-ask-refused': {
      view: formPage(askForm({ entered: 'ada@' }), { ...shown, ...refused('address', 15) }),
    },
    'password-changed': { view: donePage({ ...CHANGED, ...SESSIONS_ENDED, ...done }) },
    'password-removed': { view: donePage({ ...REMOVED, ...done }) },
    'address-confirmed': { view: donePage({ ...confirmed('ada@new.example'), ...done }) },
    'password-sent': { view: formPage(sentTo('ada@example.com', {}), shown) },
    'password-choose': { view: formPage(chooseForm(choice, 15), shown) },
    'password-choose-refused': { view: formPage(chooseForm(choice, 15), { ...shown, ...refused('common', 15) }) },
    'address-ask': {
      view: formPage(askAddress({ most: 1 }, 'ada@example.com'), { ...shown, ...refusedAddress('same') }),
    },
    'address-sent': { view: formPage(sentToAddress('ada@new.example'), shown) },
    'address-full': {
      view: formPage(closedForm({ most: 5, sender: 'email' }, 'full', null), { ...shown, ...refusedAddress('full') }),
    },
    'address-unconfirmed': {
      view: formPage(closedForm({ most: 5, sender: 'email' }, 'unconfirmed', 'ada@example.com'), {
        ...shown,
        ...refusedAddress('unconfirmed'),
      }),
    },
    'address-confirm': { view: formPage(confirmForm('x', addresses, false), shown) },
    'address-add': { view: formPage(askAddress({ most: 5 }), shown) },
    'address-confirm-addition': { view: formPage(confirmForm('x', addresses, true), shown) },
    'password-remove': { view: formPage(REMOVE, shown) },
    'password-change': { view: formPage(changeForm(15), { ...shown, ...refused('wrong', 15) }) },
    'second-factor': {
      view: formPage(factorForm({ ...asked, trustedFor: 2592000 }), shown),
    },
    'second-factor-wrong': {
      view: formPage(factorForm({ ...asked, trustedFor: 2592000 }), {
        ...shown,
        ...refusedFactor('wrong'),
      }),
    },
    'second-factor-again': {
      view: formPage(factorForm({ ...asked, purpose: 'again', backUrl: `${base}/account` }), shown),
    },
    'second-factor-keep': {
      view: formPage(factorForm({ ...asked, purpose: 'keep', backUrl: `${base}/account` }), shown),
    },
    'second-factor-chosen': { view: formPage(factorForm({ ...asked, isChosen: true }), shown) },
    'second-factor-recovery': {
      view: formPage(factorForm({ ...asked, isRecovery: true, links: [] }), shown),
    },
    'second-factor-passkey': {
      view: formPage(factorForm({ ...asked, hasApp: false, passkeyButton, links: [] }), shown),
    },
    'second-factor-other': { view: formPage(factorForm({ ...asked, hasApp: false, links: [] }), shown) },
    'second-factor-with-passkey': { view: formPage(factorForm({ ...asked, passkeyButton }), shown) },
    'second-factor-add': { view: formPage(addForm(totp, { ...offered, replaces: false }, 'back'), shown) },
    'second-factor-demanded': { view: formPage(addForm(totp, { ...offered, replaces: false }, 'home'), shown) },
    'second-factor-replace': { view: formPage(addForm(totp, { ...offered, replaces: true }, 'back'), shown) },
    'second-factor-remove': { view: formPage(REMOVE_FACTOR, shown) },
    'second-factor-codes': { view: formPage(renewForm(1), shown) },
    'second-factor-of-another': {
      view: otherAccountPage({ otherAccountUrl: `${base}/signout`, homeUrl: 'http://app.example' }),
    },
    'second-factor-gone': {
      view: factorGonePage({ addUrl: `${base}/second-factor/add`, homeUrl: 'http://app.example' }),
    },
    'second-factor-there': {
      view: factorThere({ codesUrl: `${base}/second-factor/codes`, continueUrl: done.continueUrl }),
    },
    'second-factor-codes-changed': { view: formPage(renewForm(2), { ...shown, ...refusedFactor('changed') }) },
    'second-factor-replaced': { view: { ...donePage({ ...FACTOR_REPLACED, ...done }), codes: CODES } },
    'second-factor-added': { view: { ...donePage({ ...FACTOR_ADDED, ...done }), codes: CODES } },
    'act-as': { view: { ...formPage(stopForm('grace@example.com'), shown), banner } },
    'act-as-account': { view: { ...accountView(base, form), banner } },
    'refusal-may-not-act': {
      view: refusalPage({ status: 403, conflict: 'may-not-act', signInUrl: `${base}/signin`, homeUrl: origin }),
    },
    'refusal-acting': {
      view: {
        ...refusalPage({ status: 403, conflict: 'acting', backUrl: `${base}/account`, signInUrl: null }),
        banner,
      },
    },
    'provider-logout': {
      view: providerLogoutPage({
        name: 'Keycloak',
        action: `${base}/signout`,
        fields: { id_token_hint: 'x', client_id: 'client', state: 'x' },
        stayUrl: `${origin}/`,
        insecure: true,
      }),
    },
    confirm: {
      view: confirmPage({
        action: `${base}/callback/email`,
        fields: { token: 'x', email: 'ada@example.com' },
        identifier: 'ada@example.com',
        ...form,
      }),
    },
    'confirm-other': {
      view: confirmPage({
        action: `${base}/callback/email`,
        fields: { token: 'x', email: 'ada@example.com' },
        identifier: 'ada@example.com',
        signedInAs: 'bob@example.com',
        ...form,
      }),
    },
    'signin-again': {
      view: {
        ...signIn([...FEW, EMAIL, ADDRESS_AND_PASSWORD], {
          error: 'RecentSignInRequired',
          code: 'OpenPage',
          email: 'ada@example.com',
          remember: { isTicked: true, isAsked: false },
        }),
        signedIn: {
          user: 'ada@example.com',
          notes: [],
          wayOn: { url: origin, text: pageText('error.goBack') },
          signOutUrl: `${base}/signout`,
        },
      },
      theme: LINKS,
    },
    'signin-acting-ended': {
      view: {
        ...signIn([], { error: 'SessionRequired', code: 'ActingEnded' }),
        signedIn: {
          user: 'ada@example.com',
          notes: [],
          wayOn: { url: origin, text: pageText('signIn.continue') },
          signOutUrl: `${base}/signout`,
        },
      },
    },
    'signin-by-invitation': { view: signIn([EMAIL, ADDRESS_AND_PASSWORD, PASSKEY], { isSignUpOpen: false }) },
    'signin-invited': { view: signIn([EMAIL], { isInvited: true, addsLater: true, email: 'grace@example.com' }) },
    'signin-links': { view: signIn([...FEW, EMAIL, PASSKEY, ADDRESS_AND_PASSWORD]), theme: LINKS },
    account: { view: accountView(base, form) },
    'account-new': { view: { ...accountView(base, form), user: null, done: null, parts: EMPTY_PARTS } },
    'verify-request': { view: verifyRequestPage({ signInUrl }) },
    'verify-request-sent': {
      view: verifyRequestPage({ signInUrl, sent: { ...sent, lifetimeSeconds: 600 } }),
    },
    'verify-request-again': {
      view: verifyRequestPage({ signInUrl, sent: { ...sent, isAgain: true } }),
    },
    'verify-request-code': { view: verifyRequestPage({ signInUrl, sent: { ...sent, mails: 'both', code } }) },
    'verify-request-code-wrong': {
      view: verifyRequestPage({
        signInUrl,
        sent: { ...sent, isAgain: true, mails: 'code', code },
        message: pageText('verifyRequest.wrongCode'),
      }),
    },
    'verify-request-code-over': {
      view: verifyRequestPage({
        signInUrl,
        sent: { ...sent, mails: 'code' },
        message: pageText('verifyRequest.noCode'),
      }),
    },
    'signed-out': { view: signedOutPage({ host: form.host, signInUrl, homeUrl }) },
    'signed-out-meanwhile': { view: signedOutMeanwhilePage({ signInUrl }) },
    'guard-forbidden': { view: forbiddenPage({ stop: null, otherAccountUrl: `${base}/signout`, homeUrl }) },
    'guard-forbidden-acting': {
      view: { ...forbiddenPage({ stop: banner.link, otherAccountUrl: null, homeUrl }), banner },
    },
    'error-developer': { view: errorPage({ error: 'Configuration', signInUrl, homeUrl, isDevelopment: true }) },
    'error-verification-send': {
      view: errorPage({ error: 'Verification', signInUrl, homeUrl, sendLink, otherAddressUrl: signInUrl }),
    },
    'error-verification-signed-in': {
      view: errorPage({ error: 'Verification', signInUrl, homeUrl, continueUrl: `${origin}/inbox` }),
    },
    'error-configuration': { view: errorPage({ error: 'Configuration', signInUrl, homeUrl }) },
    'error-unavailable': { view: errorPage({ error: 'Configuration', code: 'Unavailable', signInUrl, homeUrl }) },
    'error-signout': { view: errorPage({ error: 'SignOut', signInUrl, homeUrl }) },
    'guard-unavailable': { view: unavailablePage({ url: `${origin}/papers`, homeUrl }) },
    'error-denied': { view: errorPage({ error: 'AccessDenied', signInUrl, homeUrl }) },
    'error-verification': { view: errorPage({ error: 'Verification', signInUrl, homeUrl }) },
    'error-unknown': { view: errorPage({ signInUrl }) },
    'refusal-429-send': { view: refusalPage({ status: 429, signInUrl, homeUrl, retryAfter: 301, sendLink }) },
    'refusal-429-codes': {
      view: refusalPage({ status: 429, links: [otherWay, toSignIn], signInUrl, homeUrl, retryAfter: 301 }),
    },
    'refusal-429': { view: refusalPage({ status: 429, signInUrl, homeUrl, retryAfter: 301 }) },
    'refusal-404': { view: refusalPage({ status: 404, signInUrl, homeUrl }) },
  }
}
