import { foldedFactor, isRecoveryCode } from '../../kernel/entered-code.js'
import { RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { parseUrl } from '../../kernel/urls.js'
import { DEMANDED, withParams } from '../../pages/action-urls.js'
import { isTicked } from '../../pages/form-field.js'
import { buttonsScriptUrl } from '../../pages/loaded-assets.js'
import { FACTOR_TO_KEEP, PASSWORD_NOT_SAVED, SIGN_IN_ENDED } from '../../pages/messages.js'
import { pageText } from '../../pages/texts/text.js'
import type { PageLink } from '../../pages/view.js'
import type { Authentication } from '../../sessions/authentication.js'
import { A_MOMENT, isRecent } from '../../sessions/may-be-used.js'
import { accountUrl } from '../../sign-in/account-part.js'
import { homeOf, targetBeyond, urlLeadingOn } from '../../sign-in/find-return-target.js'
import { showDone, showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { dropHeld, type HeldSignIn, heldIn, MOST_TRIES } from '../../sign-in/held-sign-in.js'
import { leadingToSignIn, SIGN_IN_AGAIN } from '../../sign-in/leading-to-sign-in.js'
import { refuseSignedOut } from '../../sign-in/operation.js'
import { type Outcome, page, redirect } from '../../sign-in/outcome.js'
import { enter } from '../../sign-in/sign-in.js'
import { signInPageWithTarget } from '../../sign-in/sign-in-form.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { ADDS, ASKS, OF, pageWith, secondFactorsIn } from './dependencies.js'
import { hasSignedInOtherwise, isAsHeld, isByPasskey } from './may-enter.js'
import {
  CHOSEN,
  CODE,
  FACTOR_KEPT,
  factorForm,
  factorGonePage,
  otherAccountPage,
  RECOVERY,
  refusedFactor,
  TRUST,
} from './pages.js'
import type { SecondFactors } from './service.js'
import type { Answered } from './stored-factors.js'

/** GET second-factor: asks for the second factor of who is about to sign in, or is signed in and needs it for more. */
export const showFactor: Action = (visit) =>
  leadingToSignIn(pageWith(visit, ASKS, OF), ask, visit.query.has(OF) ? FACTOR_TO_KEEP : undefined)(visit)

const ask: Action = async (visit) => {
  const service = await secondFactorsIn(visit.config)
  const held = await heldIn(visit)
  if (held && held.asks !== ASKS) return redirect(await urlLeadingOn(visit, held.asks))
  if (held && !(await isAsHeld(visit, held))) return startAgain(visit)
  const asked = held ? heldBy(held) : await signedIn(visit)
  // The sign-in leads back here: in a trusted browser nothing else would ask for the code that keeps what is to be taken away.
  if (asked === null) refuseSignedOut()
  const of = visit.query.get(OF)
  if (of !== null && !service.publicIds.fits(of, [asked.userId])) {
    // Whoever is about to come in is not signed in yet: the sign-in page asks who they are.
    if (held) refuseSignedOut()
    return page(await pageOfAnother(visit))
  }
  const ways = await waysOf(service, asked)
  // Nothing is left to do, and nobody is asked for a code that does nothing.
  if (of !== null && held === null && !ways.isToBeTakenAway)
    return ways.hasApp ? showDone(visit, FACTOR_KEPT) : page(await pageOfGone(visit))
  if (asked.hasJustShownBoth && !ways.isToBeTakenAway) return redirect(await visit.returnTarget())
  if (ways.hasApp || ways.hasPasskeys) {
    const isDeadEnd = held === null && !ways.hasApp && ways.providerId === null && !asked.hasPasskey
    return isDeadEnd ? redirect(await signInAgain(visit)) : show(visit, service, ways, held)
  }
  if (held) return startAgain(visit)
  // The one was taken away in whose place the browser was trusted.
  if (asked.isTrusted) return redirect(visit.urls.signInPage(await visit.returnTarget(), SIGN_IN_AGAIN))
  return redirect(await urlLeadingOn(visit, ADDS, { [DEMANDED]: '' }))
}

/** For somebody who is signed in as another person than a mail went to. They sign out, sign in, and come back. */
async function pageOfAnother(visit: Visit) {
  const { urls, origin, config } = visit
  const callbackUrl = urls.signInPage(await urlLeadingOn(visit, pageWith(visit, ASKS, OF)))
  const otherAccountUrl = withParams(urls.ownPage('signOut') ?? urls.action('signout'), { callbackUrl }, origin)
  return otherAccountPage({ otherAccountUrl, homeUrl: homeOf(config, origin) })
}

/** For somebody who is signed in, and whose second factor was taken away before they could keep it. */
const pageOfGone = async (visit: Visit) =>
  factorGonePage({ addUrl: await urlLeadingOn(visit, ADDS), homeUrl: homeOf(visit.config, visit.origin) })

/** The sign-in page for whoever is signed in and can answer nothing now. It leads back here. */
const signInAgain = async (visit: Visit) =>
  visit.urls.signInPage(await urlLeadingOn(visit, pageWith(visit, ASKS, OF)), SIGN_IN_AGAIN)

/** POST second-factor: goes on with the sign-in, or with the session, in which more is proved from now on. */
export const postFactor: Action = async (visit) => {
  const service = await secondFactorsIn(visit.config)
  const held = await heldIn(visit)
  // A sign-in that began in another tab has taken the place of the one that this form belongs to. The password must not get lost without
  // a word.
  if (textOf(visit.fields[CHOSEN]) !== '' && held?.identity.newPassword === undefined) return startAgain(visit)
  return held ? goOn(visit, service, held) : proveMore(visit, service)
}

/** The wrong code of which the owner is told, and again after {@link MOST_TRIES} more: people mistype one or two. */
const TOLD_AT = 3

/** Ends a sign-in that waits, once the answer is right. */
async function goOn(visit: Visit, service: SecondFactors, held: HeldSignIn): Promise<Outcome> {
  const { factors, browsers, trustedFor } = service
  const { userId, asks, returnTarget, state } = held
  if (asks !== ASKS) return redirect(await urlLeadingOn(visit, asks))
  visit.leadTo(returnTarget)
  // What was shown first may count no more.
  if (!(await isAsHeld(visit, held))) return startAgain(visit)
  const left = await held.countTry()
  // The page was sent twice, and the other request has the last try: what it looks at must stay.
  if (left < 0 && visit.wantsPage) return redirect(returnTarget)
  if (left < 0) throw new RequestRefused(401, ENDED)
  const answered = await factors.answer(userId, textOf(visit.fields[CODE]))
  if (answered === null) {
    // The page was sent twice, and the other request has used the code up: it has let them in, or says what was wrong.
    if (left > 0 && visit.wantsPage && !(await held.isLeft())) return redirect(returnTarget)
    const ways = await waysOf(service, heldBy(held))
    // It may have been taken away meanwhile.
    if (!ways.hasApp) return startAgain(visit)
    await tellOfWrongCode(visit, service, userId)
    return left > 0 ? show(visit, service, ways, held, refusedFactor('wrong')) : startAgain(visit, 'TooManyCodes')
  }
  const { by, since } = answered
  // Who has just lost their phone does not trust anything more.
  const isTrusted = by === 'app' && trustedIn(service, held) > 0 && isTicked(visit.fields, TRUST)
  // First, so that the sign-in still waits if the store fails.
  const trust = isTrusted ? await browsers.trust(visit, userId, trustedFor, { state, factor: since }) : null
  let outcome: Outcome | null = null
  try {
    const entry = await held.take()
    if (entry === null) return startAgain(visit)
    await tellOfCode(visit, userId, answered)
    outcome = await enter(visit, { ...entry, proof: { userId, authentication: withCode(held), since } })
  } finally {
    // The owner would see it among those that they trust. What failed before is told, and not what fails here.
    await trust
      ?.endOther(outcome !== null)
      .catch((error) => visit.config.logger.error(withoutDetails(error), visit.source))
  }
  if (trust !== null) await happened.changed(visit, { kind: 'browser-trusted', userId })
  const cookies = [...outcome.cookies, ...(trust ? [trust.cookie] : [])]
  // They came from the mail about it, and this page would lead them on without a word.
  const after = answered.isKept && outcome.kind === 'redirect' ? await targetBeyond(visit, outcome.to, ASKS) : null
  if (after === null) return { ...outcome, cookies }
  visit.leadTo(after)
  return showDone(visit, FACTOR_KEPT, cookies)
}

/**
 * What somebody has shown once a code is right.
 *
 * @param held what their sign-in began with; null in a session, which has that
 */
export const withCode = (held: HeldSignIn | null): Authentication => ({
  factors: 2,
  amr: [...(held?.type === 'credentials' ? ['pwd'] : []), 'otp', 'mfa'],
})

/** Seconds for which the browser can be trusted: none with another password, which ends all trust. */
const trustedIn = ({ trustedFor }: SecondFactors, { identity }: HeldSignIn): number =>
  identity.newPassword === undefined ? trustedFor : 0

/** Whether the browser is trusted already: whoever signs in anew in a session is asked all the same. */
async function isTrustedNow(
  visit: Visit,
  { factors, browsers }: SecondFactors,
  { userId }: HeldSignIn,
): Promise<boolean> {
  const factor = await factors.find(userId)
  return factor !== null && (await browsers.list(visit, userId, factor.since)).some(({ isCurrent }) => isCurrent)
}

/** Proves more in the session of the visitor. */
async function proveMore(visit: Visit, service: SecondFactors): Promise<Outcome> {
  const askAgain = async () => {
    visit.leadTo(await urlLeadingOn(visit, ASKS))
    return startAgain(visit)
  }
  const asked = await signedIn(visit)
  if (asked === null) return askAgain()
  const { userId } = asked
  const answered = await service.factors.answer(userId, textOf(visit.fields[CODE]))
  if (answered === null) {
    const ways = await waysOf(service, asked)
    // It was taken away while its page was open.
    if (!ways.hasApp && visit.wantsPage) return page(await pageOfGone(visit))
    if (ways.hasApp) await tellOfWrongCode(visit, service, userId)
    return show(visit, service, ways, null, refusedFactor('wrong'))
  }
  await happened.proved(visit)
  await tellOfCode(visit, userId, answered)
  const cookies = await visit.sessions.raise(visit, withCode(null))
  if (cookies === null) return askAgain()
  // Nobody else knows the code: the session is not one that somebody has planted here.
  const own = visit.config.ownSignIns.note(visit, (await service.store.getUser(userId)) ?? {})
  const sent = [...cookies, ...own]
  return answered.isKept ? showDone(visit, FACTOR_KEPT, sent) : redirect(await visit.returnTarget(), sent)
}

/** Whoever enters one has shown the first factor, perhaps the password: over several sign-ins, and in a session, they guess as well. */
async function tellOfWrongCode(visit: Visit, { factors }: SecondFactors, userId: string): Promise<void> {
  happened.failed(visit, { kind: 'second-factor-failed', reason: null, userId })
  if (isRecoveryCode(foldedFactor(textOf(visit.fields[CODE])))) return
  if ((await factors.countWrong(userId)) % MOST_TRIES === TOLD_AT)
    await happened.changed(visit, { kind: 'second-factor-guessed', userId })
}

/** Somebody who has found recovery codes must not stay unseen; and whoever keeps a second factor learns that they did. */
async function tellOfCode(visit: Visit, userId: string, { by, isKept }: Answered): Promise<void> {
  if (isKept) await happened.changed(visit, { kind: 'second-factor-kept', userId })
  if (by === 'recovery-code') await happened.changed(visit, { kind: 'recovery-code-used', userId })
}

/** Who is asked. */
interface Somebody {
  readonly userId: string
  /** Whether it is a passkey that they have shown. */
  readonly hasPasskey: boolean
  /** Whether they have shown something else, recently: then a passkey that nobody has to unlock is the second factor. */
  readonly hasOther: boolean
  /** Whether they are signed in, and their browser has stood in for the second factor. */
  readonly isTrusted: boolean
  /** Whether they are signed in, and have shown two factors just now: their sign-in, which leads here, has asked. */
  readonly hasJustShownBoth: boolean
}

function heldBy({ userId, type }: HeldSignIn): Somebody {
  const hasPasskey = type === 'webauthn'
  return { userId, hasPasskey, hasOther: !hasPasskey, isTrusted: false, hasJustShownBoth: false }
}

/** With what a person can answer: a code of an app, and a passkey of a provider; null for none, or for one that would not count. */
async function waysOf({ factors, passkeyOf, areTwoFactors }: SecondFactors, { userId, hasOther }: Somebody) {
  const own = await passkeyOf(userId)
  const providerId = areTwoFactors(own) || hasOther ? own : null
  const factor = await factors.find(userId)
  const isToBeTakenAway = factor?.resetAt !== undefined
  return { hasApp: factor !== null, isToBeTakenAway, hasPasskeys: own !== null, providerId }
}

/** @param held null for who is signed in */
async function show(
  visit: Visit,
  service: SecondFactors,
  { hasApp, providerId, isToBeTakenAway }: Awaited<ReturnType<typeof waysOf>>,
  held: HeldSignIn | null,
  refusal: ReturnType<typeof refusedFactor> | null = null,
) {
  const isRecovery = hasApp && visit.query.has(RECOVERY)
  const other = await urlLeadingOn(visit, pageWith(visit, ASKS, OF), isRecovery ? {} : { [RECOVERY]: '' })
  const form = factorForm({
    hasApp,
    isRecovery,
    purpose: held ? 'app' : isToBeTakenAway ? 'keep' : 'again',
    backUrl: held ? undefined : await cameFrom(visit),
    trustedFor:
      held === null || isRecovery || (await isTrustedNow(visit, service, held)) ? 0 : trustedIn(service, held),
    isTicked: isTicked(visit.fields, TRUST),
    isChosen: held?.identity.newPassword !== undefined,
    passkeyButton:
      providerId === null || isRecovery
        ? undefined
        : {
            providerId,
            text: pageText('passkey.submit'),
            script: buttonsScriptUrl(visit.mountUrl),
            // An answer leads to the page that asked for it, and so on from there.
            leadsTo: held ? await urlLeadingOn(visit, ASKS) : await visit.returnTarget(),
          },
    links: hasApp
      ? [{ url: other, text: pageText(isRecovery ? 'secondFactor.useApp' : 'secondFactor.useRecovery') }]
      : // Whoever is not signed in is led there anyway.
        held || providerId
        ? []
        : [{ url: await signInAgain(visit), text: pageText('error.toSignIn') }],
  })
  return showForm(visit, form, refusal)
}

/**
 * Where somebody goes on whose code is not looked at for now: to what nobody can guess, back to the page, and to begin anew. The return
 * target is no way back for whoever is not in yet.
 */
export async function waysWithout(visit: Visit, path: typeof ASKS | typeof ADDS): Promise<readonly PageLink[]> {
  const held = await heldIn(visit)
  if (held === null && path === ADDS) return []
  if (held) visit.leadTo(held.returnTarget)
  const entered = foldedFactor(textOf(visit.fields[CODE]))
  // Before the form was read, all of a network were refused.
  const mayRecover = path === ASKS && entered !== '' && !isRecoveryCode(entered)
  const recovery = {
    url: await urlLeadingOn(visit, ASKS, { [RECOVERY]: '' }),
    text: pageText('secondFactor.useRecovery'),
  }
  const back = { url: await urlLeadingOn(visit, path), text: pageText('error.goBack') }
  const anew = { url: await signInPageWithTarget(visit), text: pageText('error.toSignIn') }
  return [...(mayRecover ? [recovery] : []), back, ...(held ? [anew] : [])]
}

/** Where somebody was who is signed in: the account page, or that from which a page of the mount has led them here. */
async function cameFrom(visit: Visit): Promise<string | undefined> {
  const target = await visit.returnTarget()
  if (visit.urls.ownPage('account') === undefined && target === accountUrl(visit)) return target
  const before = parseUrl(target)?.searchParams.has(DEMANDED) ? null : await targetBeyond(visit, target)
  return before === null || before === homeOf(visit.config, visit.origin) ? undefined : before
}

/** The sign-in was answered wrongly too often; or it has waited too long, or has gone on in another tab. */
export async function startAgain(
  visit: Visit,
  code: 'SignInExpired' | 'TooManyCodes' = SIGN_IN_ENDED.code,
): Promise<Outcome> {
  const held = await heldIn(visit)
  const isChosen = held?.identity.newPassword !== undefined || textOf(visit.fields[CHOSEN]) !== ''
  visit.keep.always('held sign-in', await dropHeld(visit))
  if (!visit.wantsPage) throw new RequestRefused(401, ENDED)
  const why = isChosen ? PASSWORD_NOT_SAVED : { ...SIGN_IN_ENDED, code }
  return redirect(visit.urls.signInPage(await visit.returnTarget(), why))
}

const ENDED = 'The sign-in has ended. Begin again.'

/** Null if nobody is signed in. */
async function signedIn(visit: Visit): Promise<Somebody | null> {
  const reading = await visit.sessions.renew(visit)
  visit.keep.always('session', reading.cookies)
  if (reading.userId === null) return null
  const userId = String(reading.userId)
  const hasOther = await hasSignedInOtherwise(visit, userId)
  const factors = reading.authentication?.factors
  const hasJustShownBoth = factors === 2 && isRecent(reading, A_MOMENT, visit.config.now)
  const hasPasskey = isByPasskey(visit.config, reading)
  return { userId, hasPasskey, hasOther, isTrusted: factors === 1, hasJustShownBoth }
}
