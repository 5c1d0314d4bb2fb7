import { redirect } from '@sveltejs/kit'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ locals }) => {
  if (!(await locals.auth())) redirect(303, '/login')
}

export const actions: Actions = {
  async default({ locals, request }) {
    const name = (await request.formData()).get('name')
    await locals.updateSession({ name })
  },
}
