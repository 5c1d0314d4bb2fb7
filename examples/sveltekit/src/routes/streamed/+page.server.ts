import type { PageServerLoad } from './$types'

export const load: PageServerLoad = ({ locals }) => ({
  // The answer is on its way when this reads the session, so it is not renewed here.
  streamed: new Promise((resolve) => setTimeout(resolve, 50)).then(
    async () => (await locals.auth())?.user?.name ?? null,
  ),
})
