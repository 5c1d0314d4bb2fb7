import type { PageServerLoad } from './$types'

const answered = () => new Promise((resolve) => setTimeout(resolve, 50))

export const load: PageServerLoad = ({ locals }) => ({
  streamed: answered().then(async () => (await locals.auth())?.user?.name ?? null),
  refused: answered().then(() => locals.signOut({ redirect: false }).catch((error: Error) => error.name)),
})
