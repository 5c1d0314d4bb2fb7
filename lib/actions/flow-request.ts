import type { FlowRequest } from '../flows/flow.js'
import type { ActionContext } from './action.js'

/** The slice of a context that flows see. */
export const flowRequest = ({
  incoming,
  urls,
  cookies,
  scheme,
  rawQuery,
  fields,
  callbackUrl,
}: Omit<ActionContext, 'provider' | 'query' | 'config'>): FlowRequest => ({
  incoming,
  origin: urls.origin,
  mountUrl: urls.mount,
  cookies,
  specs: scheme.specs,
  query: rawQuery,
  fields,
  callbackUrl,
})
