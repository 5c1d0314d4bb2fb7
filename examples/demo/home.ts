// Your own application imports from 'latchkey'.
import type { Session } from '../../lib/index.js'
import { ADA } from './database.js'
import { type Html, html } from './html.js'
import { icon } from './icons.js'

/** The first page: what the demo is, the ways to sign in, and what there is to try. */
export const home = (session: Session | null): Html => html`
  <div class="hero">
    <div>
      <h1>${session ? `Welcome, ${firstName(session)}` : 'A small app with real sign-in'}</h1>
      <p class="lead">Every page here is plain HTML from Express. Sign-in, sign-out and sessions come from Latchkey. Users,
        sessions and passkeys are rows in a SQLite file, and nothing leaves your machine.</p>
      ${session ? signedIn(session) : signedOut()}
    </div>
    <section class="card">
      <h2>${session ? 'Sign in as somebody else' : 'Four ways to sign in'}</h2>
      <ul class="ways">
        <li>${icon('provider')}<span><strong>Harbour ID</strong> is an OpenID provider that runs beside this app. It accepts any name.</span></li>
        <li>${icon('mail')}<span><strong>A mailed link</strong> goes to any address. The <a href="/mailbox">mailbox</a> shows it to you.</span></li>
        <li>${icon('passkey')}<span><strong>A passkey</strong> signs you up with any address, by fingerprint, face or PIN.</span></li>
        <li>${icon('password')}<span><strong>A password</strong>: <code>${ADA.email}</code> has <code>${ADA.password}</code>. Or choose your own by mail.</span></li>
      </ul>
    </section>
  </div>
  <h2 class="tiles-title">Then try</h2>
  <ul class="tiles">
    ${TILES.map(
      ({ name, picture, href, text }) =>
        html`<li><a href="${href}">${icon(picture)}<strong>${name}</strong></a><span>${text}</span></li>`,
    )}
  </ul>`

/** What there is on the pages for somebody who is signed in. A link leads through the sign-in page, if need be. */
const TILES = [
  {
    name: 'A guarded page',
    picture: 'page',
    href: '/account',
    text: 'Open your account signed out: you are asked to sign in, and come back to it.',
  },
  {
    name: 'Two-step verification',
    picture: 'shield',
    href: '/account#part-secondFactor',
    text: 'Scan the QR code with an authenticator app. The next sign-in asks for its code.',
  },
  {
    name: 'Several addresses',
    picture: 'mail',
    href: '/account#part-address',
    text: 'Add one by a mailed link. Each signs you in, and one is the main one.',
  },
  {
    name: 'Your ways to sign in',
    picture: 'passkey',
    href: '/account#part-passkeys',
    text: 'Add a passkey, connect a second account. The last way cannot be removed.',
  },
  {
    name: 'Sessions and activity',
    picture: 'devices',
    href: '/account#part-sessions',
    text: 'Sign in with a second browser, see it here, and sign it out.',
  },
  {
    name: 'Tokens for programs',
    picture: 'token',
    href: '/account#part-own8',
    text: 'Make a token, read the API with curl, and revoke the token.',
  },
  {
    name: 'Eleven languages',
    picture: 'language',
    href: '/account#part-language',
    text: 'Choose one. Pages and mails follow, also from right to left.',
  },
  {
    name: 'Data and deletion',
    picture: 'out',
    href: '/account#part-data',
    text: 'Take along what the app knows about you, or delete it all.',
  },
] as const

const signedOut = (): Html => html`
  <p class="muted">You are not signed in.</p>
  <div class="actions">
    <a class="button" href="/auth/signin?callbackUrl=/">Sign in</a>
    <button type="button" class="button plain" data-passkey="sign-in" data-redirect-to="/" data-passkey-status="passkey-status" hidden>Sign in with a passkey</button>
  </div>
  <p class="muted said" role="status" id="passkey-status"></p>`

const signedIn = (session: Session): Html => html`
  ${person(session)}
  <div class="actions">
    <a class="button" href="/account">Open your account</a>
    <a class="button plain" href="/auth/signout?callbackUrl=/">Sign out</a>
  </div>`

/** Name and address of somebody. */
const person = ({ user }: Session): Html => html`
  <div class="person">
    <div class="avatar" aria-hidden="true">${[...(user?.name ?? user?.email ?? '?')][0]?.toUpperCase()}</div>
    <div><p class="name">${user?.name ?? 'No name yet'}</p><p class="muted">${user?.email}</p></div>
  </div>`

const firstName = ({ user }: Session) => (user?.name ?? user?.email)?.split(/[ @]/, 1)[0]
