import { onceFor } from '../kernel/awaitable.js'
import { isCrossSite } from '../kernel/csrf.js'
import { RecentSignInRequired, RequestRefused, withoutDetails } from '../kernel/errors.js'
import { textOf } from '../kernel/json-object.js'
import { createRecentCache } from '../kernel/recent-cache.js'
import { returnTargetCookie } from '../kernel/return-target.js'
import { parseUrl } from '../kernel/urls.js'
import { ACTING_ENDED, DEMANDED, INVITED, OTHERWISE, siteOf, withParams } from '../pages/action-urls.js'
import { errorPage } from '../pages/error.js'
import { isRemembered, REMEMBER_FIELD, TICKED } from '../pages/form-field.js'
import { loadMarks } from '../pages/loaded-assets.js'
import { INVITATION_OVER, PASSWORD_NOT_SAVED, SIGN_IN_ENDED, signInMessage } from '../pages/messages.js'
import { type SignInPageInput, signInPage } from '../pages/signin.js'
import { pageText, type Text } from '../pages/texts/text.js'
import type { PageLink, SignedInVisitor, SignInSection, SignInView } from '../pages/view.js'
import { isOAuthProvider, type ResolvedProvider } from '../providers/provider.js'
import { A_MOMENT, isRecent } from '../sessions/may-be-used.js'
import { principalOf, type SessionReading } from '../sessions/session.js'
import { NOBODY } from '../users/signed-in-user.js'
import { hintIn } from './address-hint.js'
import type { Config } from './config.js'
import { csrfTokenOf } from './csrf-token.js'
import { pointsIn } from './feature.js'
import { forgetPageOfMount, homeOf, redirectTarget, rememberReturnTarget } from './find-return-target.js'
import { flowOf } from './flow.js'
import { lastProviderOf } from './happened.js'
import { pageForFactorAlone, SIGN_IN_AGAIN, signInPageFor } from './leading-to-sign-in.js'
import { FORGOTTEN, type Note } from './note.js'
import { page, redirect } from './outcome.js'
import { leadsToHttp, signInPageWithTarget } from './sign-in-form.js'
import { type Action, lookAtSession, signedInAs, type Visit } from './visit.js'

/** GET signin: the sign-in page, or the application's own. */
export const showSignIn: Action = async (visit) => {
  const { config, urls, query, provider, origin } = visit
  const error = query.get('error') || undefined
  const { note, cookies: taken } = config.notes.take(visit, error)
  if (!provider) forgetPageOfMount(visit)
  // The page says so to the administrator, with the next request.
  if (
    visit.sessions.acting?.isBrought(visit) &&
    query.get('code') !== ACTING_ENDED.code &&
    (await lookAtSession(visit))
  )
    return redirect(signInPageFor(visit, ''), taken)
  if (note?.returnTarget !== undefined) visit.leadTo(await redirectTarget(visit, note.returnTarget))
  const callbackUrl = await visit.returnTarget()
  const remembered = returnTargetCookie(visit.cookies, visit.specs.callbackUrl, callbackUrl)
  // A sign-in starts with a POST only. A link to one provider shows the page that has the button for that POST.
  if (provider) return redirect(withParams(urls.action('signin'), { callbackUrl }, origin), remembered)
  const isUndecided = error === RecentSignInRequired.type && query.get('code') !== SIGN_IN_AGAIN.code
  const asksFactor = isUndecided ? await pageForFactorAlone(visit) : null
  if (asksFactor !== null) return redirect(asksFactor, [...remembered, ...taken])
  const form = csrfTokenOf(visit)
  const cookies = [...form.cookies, ...remembered]
  const own = urls.ownPage('signIn')
  const remember = config.asksToRemember && error && query.get(REMEMBER_FIELD) === TICKED ? TICKED : undefined
  // A page that the application renders reads the token out of the cookie.
  if (own) {
    const code = isUndecided ? query.get('code') || undefined : undefined
    return redirect(withParams(own, { callbackUrl, error, code, remember }, origin), cookies)
  }
  const hint = hintIn(visit, note)
  const target = hint?.target ?? callbackUrl
  const reading = await lookAtSession(visit)
  // The last form of a sign-in was sent twice, and the other request has let them in.
  const within = SENT_TWICE.get(query.get('code'))
  if (within !== undefined && reading && isRecent(reading, within, config.now)) return redirect(target, cookies)
  // Whoever has to sign in again reads above the form as whom.
  const again = error === RecentSignInRequired.type ? (query.get('code') ?? '') : note?.again
  const address = error === RecentSignInRequired.type ? textOf(reading?.session?.user?.email) || undefined : undefined
  const view = hint ? await makeSignInView(visit, note, hint) : await signInView(visit, error, note, address)
  const user = signedInAs(reading)
  const shown = reading && user ? await withVisitor(visit, view, target, { ...reading, user }, again) : view
  const email = view.links ? addressFilledIn(view) : undefined
  // Whoever is invited has no password yet. They choose one where there are some, and find every other way from there.
  const isLedOn = view.isInvited && !query.has(OTHERWISE) && urls.ownPage('password') === undefined
  if (isLedOn && view.links) {
    const [callbackUrl, invited] = [target, query.get(INVITED) ?? '']
    return redirect(withParams(view.links.forgot, { callbackUrl, [INVITED]: invited }, origin), cookies)
  }
  // Whoever has forgotten a password has entered their address already. A link of another site is no such person.
  const told = { email, again: shown.signedIn ? again : undefined }
  const isTold = (email || told.again !== undefined) && !isCrossSite(visit.header, origin)
  const noted = isTold ? config.notes.leave(visit, { about: FORGOTTEN, ...told }) : taken
  return page({ ...shown, csrfToken: form.token, callbackUrl: target }, [...cookies, ...noted])
}

/**
 * For how many seconds after a sign-in what these say is not true, by their `code`. A sign-in with a new password may
 * also have lost its place to one in another tab.
 */
const SENT_TWICE: ReadonlyMap<string | null, number> = new Map([
  [SIGN_IN_ENDED.code, A_MOMENT],
  [PASSWORD_NOT_SAVED.code, 10],
])

/** The address that the page fills in; undefined for none. */
const addressFilledIn = ({ sections }: SignInView): string | undefined =>
  sections
    .flatMap((section) => (section.kind === 'form' ? section.form.fields : []))
    .map(({ attributes }) => new Map(attributes))
    .find((attributes) => attributes.get('name') === 'email' && attributes.get('value'))
    ?.get('value')

/** The page for somebody who is signed in already. */
async function withVisitor(
  visit: Visit,
  view: SignInView,
  callbackUrl: string,
  { user, isRemembered = false }: Pick<SessionReading, 'isRemembered'> & { readonly user: string },
  again: string | undefined,
): Promise<SignInView> {
  const { query, config } = visit
  const { pattern: _pattern, remember, ...unlike } = view
  // Whoever only has to prove who they are has made the choice at the sign-in.
  const isAgain = again !== undefined
  const isKept = remember !== null && isAgain
  // Whoever no longer acts as somebody else is signed in as themselves again, and only goes on.
  const goesOn = query.get('error') === ACTING_ENDED.error && query.get('code') === ACTING_ENDED.code
  const wayOn = isAgain
    ? { url: await wayBack(visit, callbackUrl, again), text: pageText('error.goBack') }
    : { url: callbackUrl, text: pageText('signIn.continue') }
  // Why it has to be is in the message, unless that says why a try has failed.
  const isTold = goesOn || query.get('error') === RecentSignInRequired.type
  const why = isAgain ? [signInMessage(RecentSignInRequired.type, again)] : notesFor(config)
  const notes = isTold ? [] : why.flatMap((each) => each ?? [])
  return {
    ...unlike,
    sections: goesOn ? [] : unlike.sections.map(withoutSignUp),
    ...(goesOn && { scriptMount: null }),
    signedIn: signedInVisitor(visit, callbackUrl, { user, wayOn, notes }),
    remember: isKept ? { isTicked: isRemembered, isAsked: false } : remember,
  }
}

function signedInVisitor(
  { urls, origin }: Visit,
  callbackUrl: string,
  { wayOn, ...visitor }: Omit<SignedInVisitor, 'wayOn' | 'signOutUrl'> & { readonly wayOn: PageLink },
): SignedInVisitor {
  const signOutUrl = withParams(urls.action('signout'), { callbackUrl }, origin)
  // The `redirect` callback may have made anything of it.
  return { ...visitor, wayOn: /^https?:\/\//.test(wayOn.url) ? wayOn : null, signOutUrl }
}

/** Who is signed in where a form is for somebody else, such as one who is invited; undefined for nobody. */
export async function visitorBeside(visit: Visit): Promise<SignedInVisitor | undefined> {
  const user = signedInAs(await lookAtSession(visit, 'read'))
  if (user === null) return undefined
  const url = await visit.returnTarget()
  const wayOn = { url, text: pageText('signIn.continue') }
  return signedInVisitor(visit, url, { user, wayOn, notes: [pageText('signIn.signedInNote')] })
}

/** Where somebody came from who has to sign in again: the page that they wanted would only send them back here. */
async function wayBack(visit: Visit, callbackUrl: string, again: string): Promise<string> {
  const asked = parseUrl(callbackUrl)?.searchParams
  const before = asked?.get('callbackUrl')
  if (before && !asked?.has(DEMANDED)) return redirectTarget(visit, before)
  return again === SIGN_IN_AGAIN.code ? homeOf(visit.config, visit.origin) : callbackUrl
}

/** Nobody who is signed in is new here: a passkey that they made there would be theirs, whatever address they had entered. */
const withoutSignUp = (section: SignInSection): SignInSection =>
  section.kind === 'form' && section.form.passkey
    ? { ...section, form: { ...section.form, passkey: { ...section.form.passkey, register: null } } }
    : section

/** What happens to somebody who is signed in: a provider that they choose adds its account; with a password or a link, they change. */
function notesFor({ store, providers }: Config): readonly Text[] {
  const all = [...providers.values()]
  if (store === null || !all.some(isOAuthProvider)) return [pageText('signIn.signedInNote')]
  const mayChange = all.some(({ type }) => type === 'credentials' || type === 'email')
  return [pageText('signIn.signedInAdds'), pageText(mayChange ? 'signIn.signedInNote' : 'signIn.signOutFirst')]
}

/**
 * Views without error and address, by configuration, by the URL of the mount and by the provider that is marked. The visitor
 * may choose the host of that URL, so few are kept.
 */
const keptViewsOf = onceFor((_config: Config) => createRecentCache<string, SignInView>(MAX_KEPT_VIEWS))
const MAX_KEPT_VIEWS = 32

/** The view of the sign-in page, without the token and the return target, which are each visitor's own. */
async function signInView(
  visit: Visit,
  error: string | undefined,
  note: Note | null,
  own: string | undefined,
): Promise<SignInView> {
  const { config, urls, query } = visit
  const given = query.get('email') || own
  const invited = given || !query.has(INVITED) ? undefined : await invitedAddress(visit)
  const email = given || invited || (await addressIn(visit, 'address')) || undefined
  const shownError = error ?? (invited === null ? INVITATION_OVER : undefined)
  if (shownError !== undefined || email !== undefined || query.has('acr_values')) {
    return makeSignInView(visit, note, {
      error: shownError,
      email,
      isInvited: Boolean(invited),
      entered: note?.entered ?? null,
    })
  }
  const kept = keptViewsOf(config)
  const key = `${lastProviderOf(visit) ?? ''} ${urls.mount}`
  const known = kept.get(key)
  if (known) return known
  const view = { ...(await makeSignInView(visit, null, {})), pattern: {} }
  kept.set(key, view)
  return view
}

/** Whom an invitation that leads here is for; undefined without one, and null if it does not count any more. */
export const invitedAddress = (visit: Visit) => addressIn(visit, 'invited')

/** The address that a feature fills in. */
async function addressIn(visit: Visit, slot: 'address' | 'invited'): Promise<string | null | undefined> {
  for (const points of pointsIn(visit.config).pages) {
    const find = points[slot]
    if (find === undefined) continue
    try {
      const known = await find(visit)
      if (known !== undefined) return known
    } catch (error) {
      // They can enter it.
      visit.config.logger.error(withoutDetails(error), visit.source)
    }
  }
  return undefined
}

async function makeSignInView(
  visit: Visit,
  note: Note | null,
  shown: Pick<SignInPageInput, 'error' | 'email' | 'isInvited' | 'entered' | 'addressTaken'> & {
    readonly ways?: ReadonlySet<string> | null
  },
): Promise<SignInView> {
  const { ways, ...texts } = shown
  const { config, urls, query, origin } = visit
  const providers = [...config.providers.values()]
  const offered = providers.filter((each) => (!ways || ways.has(each.id)) && (!texts.isInvited || mayConfirm(each)))
  // What a guard demands is asked of the provider that the visitor chooses.
  const acr_values = query.get('acr_values') || undefined
  const { host, insecure } = siteOf(origin)
  return signInPage({
    providers: offered,
    addsLater: texts.isInvited === true && offered.length < providers.length,
    urls: {
      signIn: (id) => withParams(urls.action('signin', id), { acr_values }, origin),
      callback: (id) => urls.action('callback', id),
    },
    csrfToken: '',
    callbackUrl: '',
    ...texts,
    code: query.get('code') || undefined,
    host,
    insecure: insecure || providers.some(leadsToHttp),
    marks: await loadMarks(),
    // Whoever is signed in chooses nothing that the mark could help with, and whoever is invited has used nothing yet.
    lastUsed: shown.error === RecentSignInRequired.type || shown.isInvited ? null : lastProviderOf(visit),
    links:
      pointsIn(config)
        .pages.map(({ links }) => links?.(visit))
        .find(Boolean) ?? null,
    languageUrl: config.renderer.languages.length > 0 ? urls.action('language') : null,
    isSignUpOpen: config.isSignUpOpen,
    remember: config.asksToRemember ? { isTicked: note?.isRemembered === true, isAsked: true } : null,
  })
}

/** Whether a sign-in can confirm the address of whom an invitation is for: by every other way they are refused. */
const mayConfirm = (provider: ResolvedProvider): boolean =>
  isOAuthProvider(provider) ? provider.allowDangerousEmailAccountLinking : provider.type !== 'webauthn'

/** POST signin: sends the visitor to the provider, or to the sign-in page when the provider's form is there. */
export const postSignIn: Action = async (visit) => {
  const { provider, urls } = visit
  const remembered = await rememberReturnTarget(visit)
  const begin = provider && flowOf(visit.config, provider).start
  if (!begin) return redirect(urls.action('signin'), remembered)
  visit.keep.onFailure({ isRemembered: isRemembered(visit.fields) })
  const start = await begin(visit, await readInitiator(visit))
  return 'redirectTo' in start
    ? redirect(await redirectTarget(visit, start.redirectTo), remembered)
    : redirect(start.url, [...remembered, ...start.cookies])
}

/** Who begins a sign-in, as {@link Identity.initiator} has it. */
async function readInitiator(visit: Visit): Promise<string | null> {
  const { config, sessions, keep } = visit
  if (visit.mayBeForged || visit.mayBeFromFrontEnd) return null
  try {
    const reading = await sessions.renew(visit)
    // Reading may have renewed the session, and the `jwt` callback may have given other claims.
    keep.always('session', reading.cookies)
    const principal = principalOf(reading)
    return principal ? await (await config.users()).initiator(async () => principal) : NOBODY
  } catch (error) {
    // A visitor whose session cannot be read must be able to sign in again. Without an initiator, the sign-in adds no
    // account to any user.
    config.logger.error(withoutDetails(error), visit.source)
    return null
  }
}

/**
 * GET of the mount itself, such as `/auth`: a person who shortened the address comes to the sign-in page. A script asked for
 * something that is not there.
 */
export const enterMount: Action = async (visit) => {
  if (!visit.wantsPage) throw new RequestRefused(404, 'There is no such action.')
  return redirect(await signInPageWithTarget(visit))
}

/** GET error: says what failed. */
export const showError: Action = async (visit) => {
  const { urls, query, origin, config } = visit
  const error = query.get('error') || undefined
  const code = query.get('code') || undefined
  const own = urls.ownPage('error')
  if (own) return redirect(withParams(own, { error, code }, origin))
  for (const { error: pageOf } of pointsIn(config).pages) {
    const known = await pageOf?.(visit, error)
    if (known) return known
  }
  const signInUrl = visit.sessions.acting?.isBrought(visit) ? null : await signInPageWithTarget(visit)
  return page(
    errorPage({ error, code, signInUrl, homeUrl: homeOf(config, origin), isDevelopment: config.isDevelopment }),
  )
}
