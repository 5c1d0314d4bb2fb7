import { sequence } from '@sveltejs/kit/hooks'
import { guard, handle as serveAuth } from './server/auth.js'

export const handle = sequence(serveAuth, guard)
