import { RequestRefused } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { withParams } from '../../pages/action-urls.js'
import { pageText } from '../../pages/texts/text.js'
import { showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { dropHeld, type HeldSignIn, heldIn } from '../../sign-in/held-sign-in.js'
import { type Outcome, redirect } from '../../sign-in/outcome.js'
import { enter } from '../../sign-in/sign-in.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { secondFactorsIn } from './dependencies.js'
import { ADDS, ASKS } from './may-enter.js'
import { CODE, factorForm, RECOVERY, refusedFactor, TRUST } from './pages.js'
import type { SecondFactors } from './service.js'
import type { Answered } from './stored-factors.js'

/** GET second-factor: asks for the second factor of who is about to sign in, or is signed in and needs it for more. */
export const showFactor: Action = async (visit) => {
  const service = await secondFactorsIn(visit.config)
  const held = await heldIn(visit)
  if (held) return held.asks === ASKS ? show(visit, service) : redirect(await urlOf(visit, held.asks))
  const userId = await signedIn(visit)
  if (userId === null) return startAgain(visit)
  return (await service.factors.find(userId)) ? show(visit, service) : redirect(await urlOf(visit, ADDS))
}

/** POST second-factor: goes on with the sign-in, or with the session, in which more is proved from now on. */
export const postFactor: Action = async (visit) => {
  const service = await secondFactorsIn(visit.config)
  const held = await heldIn(visit)
  return held ? goOn(visit, service, held) : raise(visit, service)
}

/** Ends a sign-in that waits, once the answer is right. */
async function goOn(visit: Visit, service: SecondFactors, held: HeldSignIn): Promise<Outcome> {
  const { factors, browsers, trustedFor } = service
  const { userId, asks, returnTarget } = held
  if (asks !== ASKS) return redirect(await urlOf(visit, asks))
  visit.leadTo(returnTarget)
  if (!(await held.countTry())) return startAgain(visit)
  const answered = await factors.answer(userId, textOf(visit.fields[CODE]))
  if (answered === null) return show(visit, service, refusedFactor('wrong'))
  const entry = await held.take()
  if (entry === null) return startAgain(visit)
  await tellOfCode(visit, userId, answered)
  const amr = [...(held.type === 'credentials' ? ['pwd'] : []), 'otp', 'mfa']
  const outcome = await enter(visit, { ...entry, proof: { userId, authentication: { factors: 2, amr } } })
  const isTrusted = trustedFor > 0 && textOf(visit.fields[TRUST]) !== ''
  const trust = isTrusted ? await browsers.trust(visit, userId, trustedFor) : []
  return { ...outcome, cookies: [...outcome.cookies, ...trust] }
}

/** Proves more in the session of the visitor. */
async function raise(visit: Visit, service: SecondFactors): Promise<Outcome> {
  const userId = await signedIn(visit)
  if (userId === null) return startAgain(visit)
  const answered = await service.factors.answer(userId, textOf(visit.fields[CODE]))
  if (answered === null) return show(visit, service, refusedFactor('wrong'))
  await tellOfCode(visit, userId, answered)
  const cookies = await visit.sessions.raise(visit, { factors: 2, amr: ['otp', 'mfa'] })
  return cookies === null ? startAgain(visit) : redirect(await visit.returnTarget(), cookies)
}

/** Somebody who has found recovery codes must not stay unseen. */
async function tellOfCode(visit: Visit, userId: string, answered: Answered): Promise<void> {
  if (answered === 'recovery-code')
    await happened.changed(visit, { kind: 'recovery-code-used', userId, provider: null })
}

async function show(
  visit: Visit,
  { trustedFor }: SecondFactors,
  refusal: ReturnType<typeof refusedFactor> | null = null,
) {
  const isRecovery = visit.query.has(RECOVERY)
  const isHeld = (await heldIn(visit)) !== null
  const other = withParams(
    `${visit.mountUrl}/${ASKS}`,
    { callbackUrl: await visit.returnTarget(), ...(!isRecovery && { [RECOVERY]: '' }) },
    visit.origin,
  )
  const form = factorForm({
    isRecovery,
    // Who has just lost their phone does not trust anything more.
    isTrustOffered: isHeld && trustedFor > 0 && !isRecovery,
    links: [{ url: other, text: pageText(isRecovery ? 'secondFactor.useApp' : 'secondFactor.useRecovery') }],
  })
  return showForm(visit, form, refusal)
}

/** The sign-in has waited too long, was answered wrongly too often, or has gone on in another tab. */
export async function startAgain(visit: Visit): Promise<Outcome> {
  const cookies = await dropHeld(visit)
  if (!visit.wantsPage) throw new RequestRefused(401, 'The sign-in has ended. Begin again.')
  const callbackUrl = await visit.returnTarget()
  return redirect(visit.urls.errorTarget('signIn', { error: 'SessionRequired', callbackUrl }), cookies)
}

const urlOf = async (visit: Visit, page: string) =>
  withParams(`${visit.mountUrl}/${page}`, { callbackUrl: await visit.returnTarget() }, visit.origin)

/** Null if nobody is signed in. */
async function signedIn(visit: Visit): Promise<string | null> {
  const reading = await visit.sessions.renew(visit)
  visit.keep.always('session', reading.cookies)
  return reading.userId === null ? null : String(reading.userId)
}
