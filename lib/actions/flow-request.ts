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
}: Pick<
  ActionContext,
  'incoming' | 'urls' | 'cookies' | 'scheme' | 'rawQuery' | 'fields' | 'callbackUrl'
>): FlowRequest => ({
  incoming,
  origin: urls.origin,
  mountUrl: urls.mount,
  cookies,
  specs: scheme.specs,
  query: rawQuery,
  fields,
  callbackUrl,
})
