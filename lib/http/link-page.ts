/** Where a link leads, and what it asks for: at most one of the two is in the address. */
interface LinkPageParams {
  /** The link request, as it came; absent for none. It has a return target in it. */
  readonly request?: string | undefined
  /** Return target; absent for the default one. */
  readonly callbackUrl?: string | undefined
}

/**
 * The path of the page where an account at a provider is added.
 *
 * @param mount base path or public URL of the mount, without a trailing slash
 */
export const linkPath = (mount: string, providerId: string): string => `${mount}/link/${encodeURIComponent(providerId)}`

/** The address of that page, which is a path if `mount` is one. */
export function linkPageAddress(mount: string, providerId: string, { request, callbackUrl }: LinkPageParams): string {
  const query = new URLSearchParams()
  if (request !== undefined) query.set('request', request)
  else if (callbackUrl !== undefined) query.set('callbackUrl', callbackUrl)
  return query.size === 0 ? linkPath(mount, providerId) : `${linkPath(mount, providerId)}?${query}`
}
