import type { RequestHandler } from './$types'

/** An answer that wants to stay in caches, and that Latchkey keeps out of them when it sets a cookie. */
export const GET: RequestHandler = async ({ locals }) =>
  Response.json(
    { name: (await locals.auth())?.user?.name ?? null },
    { headers: { 'cache-control': 'public, s-maxage=60' } },
  )
