import type { ResponseInternal } from '../kernel/answer.js'
import { NO_STORE } from '../kernel/answer-headers.js'
import { type MaybePromise, whenReady } from '../kernel/awaitable.js'
import { bearerChallenge, comesWithBearer } from '../kernel/bearer-token.js'
import { type CookieChange, mergeCookieChanges } from '../kernel/cookies.js'
import { bigIntAsText } from '../kernel/objects.js'
import { acceptLanguageOf } from '../sign-in/language.js'
import { jsonAfter, type Outcome } from '../sign-in/outcome.js'
import type { Visit } from '../sign-in/visit.js'

/** What an answer depends on beside its outcome. */
export type AnsweredRequest = Pick<Visit, 'incoming' | 'config' | 'header'> & { readonly origin: string | null }

const JSON_HEADERS = { ...NO_STORE, 'content-type': 'application/json' }

/**
 * Makes the answer of the mount to a request. Every outcome becomes an answer here, so only this function decides about
 * `Location`, cookies and caching. Functions in `frameworks/express/` that work in routes of the application use it only for redirects:
 * otherwise they append cookies to the answer of the route, with `appendCookies` of `kernel/node-response.ts`.
 */
export function respond(outcome: Outcome, request: AnsweredRequest): MaybePromise<ResponseInternal> {
  const answer = answerOf(asRequested(outcome, request), request)
  if (!request.config.acceptsBearer) return answer
  return whenReady(answer, (answer) => {
    const headers = varyingByCredential(answer.headers)
    if (answer.status === 401) headers['www-authenticate'] = bearerChallenge(request)
    return { ...answer, headers }
  })
}

/** A script asks for the target of a redirect as JSON: a fetch cannot see where a redirect leads. */
const wantsTarget = (request: AnsweredRequest): boolean =>
  Boolean(request.incoming.header('x-auth-return-redirect')) || comesWithBearer(request)

function asRequested(outcome: Outcome, request: AnsweredRequest): Outcome {
  if (outcome.kind !== 'redirect' || !outcome.fault || !wantsTarget(request)) return outcome
  return jsonAfter(outcome.fault, outcome.to, outcome.cookies)
}

function answerOf(outcome: Outcome, request: AnsweredRequest) {
  const { config } = request
  const cookies = [...cookiesFor(request, outcome)]
  switch (outcome.kind) {
    case 'redirect':
      return wantsTarget(request)
        ? {
            status: 200,
            headers: { ...JSON_HEADERS },
            body: { url: outcome.to },
            redirect: outcome.to,
            cookies,
          }
        : { status: 302, headers: { ...NO_STORE }, redirect: outcome.to, cookies }
    case 'json':
      return {
        status: outcome.status,
        headers: { ...JSON_HEADERS, ...outcome.headers },
        // As text: for the body `null` an integration would send no body.
        body: JSON.stringify(outcome.body, bigIntAsText, outcome.indent),
        cookies,
      }
    case 'file':
      return { status: 200, headers: { ...outcome.headers }, body: outcome.text, cookies }
    case 'page':
      return whenReady(
        config.renderer.render(outcome.view, acceptLanguageOf(request)),
        ({ html, byteLength, headers }) => ({
          status: outcome.view.status,
          headers: outcome.headers ? { ...headers, ...outcome.headers } : headers,
          body: html,
          byteLength,
          cookies,
        }),
      )
  }
}

/**
 * The cookies that an answer changes. HEAD has the headers that GET would have, but no effect, so it changes none. The
 * cookies of a request with a bearer token do not count, so they stay as they are.
 */
export const cookiesFor = (request: AnsweredRequest, { cookies }: Pick<Outcome, 'cookies'>): readonly CookieChange[] =>
  request.incoming.method === 'HEAD' || comesWithBearer(request) ? [] : mergeCookieChanges(cookies)

/** A file says itself who may keep it, and is the same for everybody. */
const varyingByCredential = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  headers['vary'] === NO_STORE.vary ? { ...headers, vary: `${NO_STORE.vary}, Authorization` } : { ...headers }
