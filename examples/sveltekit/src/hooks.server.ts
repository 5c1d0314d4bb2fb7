import { sequence } from '@sveltejs/kit/hooks'
import { guard, handle as serveAuth } from './server/auth.js'

export const handle = sequence(serveAuth, ({ event, resolve }) =>
  // A prerendered page is a public file, so there is nothing to guard.
  event.route.id === '/about' ? resolve(event) : guard({ event, resolve }),
)
