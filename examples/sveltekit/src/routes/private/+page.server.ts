import type { PageServerLoad } from './$types'

export const load: PageServerLoad = () => ({ secret: 'the analytical engine' })
