import type { AdapterUser } from '../../adapters/adapter.js'
import type { CookieChange } from '../../kernel/cookies.js'
import { AuthError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { pageText } from '../../pages/texts/text.js'
import type { Banner } from '../../pages/view.js'
import { usableId } from '../../providers/profile-mapping.js'
import { ACT_AS } from '../../sessions/authentication.js'
import { isDisabled } from '../../sessions/may-be-used.js'
import { type CurrentSession, currentSessionOf } from '../../sessions/session.js'
import type { ActingSessions } from '../../sessions/session-manager.js'
import { homeOf, mappedTarget, rememberReturnTarget } from '../../sign-in/find-return-target.js'
import { type PageForm, showDone, showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { leadingToSignIn } from '../../sign-in/leading-to-sign-in.js'
import { ownerIn, refuseSignedOut } from '../../sign-in/operation.js'
import { redirect } from '../../sign-in/outcome.js'
import { type Action, lookAtSession, type Sent, signedInAs, type Visit } from '../../sign-in/visit.js'
import { ACTING } from './options.js'

/** The form that ends it. */
export const stopForm = (user: string): PageForm => ({
  path: 'act-as/end',
  title: pageText('acting.title', { user }),
  lead: pageText('acting.lead', { user }),
  submit: pageText('acting.stop'),
  // Back may be a page of the administrator, which the user must not see.
  leads: 'home',
})

/** Leads to that form. */
export const bannerFor = (user: string, mountUrl: string): Banner => ({
  text: pageText('acting.title', { user }),
  link: { url: `${mountUrl}/act-as`, text: pageText('acting.stop') },
})

/** In the query of that page, for whoever had to show once more who they are before they act: that has not begun. */
const BEGINS = 'begin'

const NOT_BEGUN = {
  title: pageText('refusal.form.title'),
  text: pageText('refusal.mayNotAct.text'),
  icon: 'expired',
} as const

/** GET act-as: says as whom the visitor acts, with the form that ends it. */
export const showActing: Action = async (visit) => {
  await leadAsNamed(visit, visit.query.getAll('callbackUrl').at(-1))
  const reading = await lookAtSession(visit)
  const user = reading && actedAs(currentSessionOf(reading))
  if (user !== null) return showForm(visit, stopForm(user))
  return visit.query.has(BEGINS) && reading?.session ? showDone(visit, NOT_BEGUN) : redirect(await visit.returnTarget())
}

/** What the browser remembers was wanted as the other person: whoever stops goes where a link or a form says, or home. */
const leadAsNamed = async (visit: Visit, callbackUrl: unknown): Promise<void> =>
  visit.leadTo(await mappedTarget(callbackUrl, visit.config, visit.origin))

/** What every page says while somebody acts as a user; null where nobody does. */
export function bannerOf(session: CurrentSession, mountUrl: string): Banner | null {
  const user = actedAs(session)
  return user === null ? null : bannerFor(user, mountUrl)
}

/** As whom the visitor acts; null for nobody. */
const actedAs = (session: CurrentSession | null): string | null =>
  session?.act ? (signedInAs({ session }) ?? String(session.user?.id)) : null

/** POST act-as: lets an administrator act as the user whose id is sent. */
export const postActAs: Action = leadingToSignIn(`act-as?${BEGINS}`, async (visit) => {
  const { config, sessions, fields } = visit
  // Whoever takes over a front end on another origin must not be able to.
  if (visit.mayBeFromFrontEnd) throw refused()
  const { user: actor } = await ownerIn(visit, 'to act as another user')
  const reading = await sessions.read(visit)
  const { userId, id } = reading
  if (userId === null || id === null) refuseSignedOut()
  const actorId = String(userId)
  const user = reading.authentication?.factors === 2 ? await permitted(visit, actor, usableId(fields['userId'])) : null
  if (user === null) {
    happened.failed(visit, { kind: 'acting-refused', reason: 'RequestRefused', userId: actorId })
    throw refused()
  }
  const maxAge = config.services.get(ACTING)?.maxAge ?? 0
  const account = { provider: ACT_AS, type: 'credentials', providerAccountId: user.id, userId: user.id } as const
  const start = {
    user,
    account,
    isNewUser: false,
    isUnconfirmed: Boolean(user.email && !user.emailVerified),
    // Until the browser is closed: one that dropped the cookie itself would send a form of the user's as the administrator.
    lifetime: { remember: false, maxAge, maxLifetime: maxAge },
    providerSession: { provider: ACT_AS },
  }
  const { cookies, replaced } = await actingIn(visit).begin(visit, start, { userId: actorId, sessionId: id })
  if (replaced !== null) await tellEnd(visit, replaced, actorId)
  await happened.changed(visit, { kind: 'acting-began', userId: String(user.id), actorId })
  return redirect(await visit.returnTarget(), [...cookies, ...newForms(visit)])
})

/** POST act-as/end: the administrator is signed in as themselves again. */
export const postEnd: Action = async (visit) => {
  const { config, sessions } = visit
  // It would make the administrator of a tab that shows the user.
  if (visit.mayBeFromFrontEnd) throw refused()
  const { actor, userId, cookies: cleared } = await sessions.read(visit)
  if (!actor) return redirect(homeOf(config, visit.origin), cleared)
  const { cookies, fault } = await actingIn(visit).end(visit)
  // First: without its record it counts for nobody, whatever fails after that.
  if (userId !== null) await tellEnd(visit, String(userId), String(actor.userId))
  if (fault) throw fault
  await leadAsNamed(visit, visit.fields['callbackUrl'])
  const remembered = await rememberReturnTarget(visit)
  return redirect(await visit.returnTarget(), [...cookies, ...remembered, ...newForms(visit)])
}

/** Tells that an administrator does not act as a user any more. */
export const tellEnd = (sent: Sent, userId: string, actorId: string) =>
  happened.changed(sent, { kind: 'acting-ended', userId, actorId })

/** The user, if the application allows it. Null if not, and for nobody: who asks does not learn which. */
async function permitted({ config }: Visit, actor: AdapterUser, id: string | null): Promise<AdapterUser | null> {
  const { services, store, refusesDisabledUsers } = config
  const user = id === null ? null : await store?.getUser(id)
  if (!user || String(user.id) === String(actor.id) || (refusesDisabledUsers && isDisabled(user))) return null
  let answer: unknown
  try {
    answer = await services.get(ACTING)?.allow({ actor, user })
  } catch (error) {
    throw new AuthError('The function `actAs.allow` threw.', { err: withoutDetails(error) })
  }
  return answer === true ? user : null
}

const refused = () => new RequestRefused(403, 'You may not act as this user.', {}, 'may-not-act')

/** A form that was open before is not sent as somebody else. */
const newForms = ({ config, cookies, specs }: Visit): readonly CookieChange[] =>
  config.csrf?.renew(cookies, specs.csrfToken) ?? []

function actingIn({ sessions }: Visit): ActingSessions {
  if (sessions.acting === undefined) throw new AuthError('Nobody may act as another user here.')
  return sessions.acting
}
