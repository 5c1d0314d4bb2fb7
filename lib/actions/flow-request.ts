import type { FlowRequest } from '../flows/flow.js'
import type { ActionContext } from './action.js'

/** The part of a context that flows see. */
export function flowRequest(context: ActionContext): FlowRequest {
  const { incoming, urls, cookies, scheme, rawQuery, fields, callbackUrl } = context
  return {
    incoming,
    origin: urls.origin,
    mountUrl: urls.mount,
    cookies,
    specs: scheme.specs,
    query: rawQuery,
    fields,
    returnTarget: () => callbackUrl,
    readPrincipal: () => scheme.sessions.readPrincipal(context),
  }
}
