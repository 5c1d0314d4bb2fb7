import { createMiddleware } from '@solidjs/start/middleware'
import { requireAuth } from 'latchkey/solid-start'
import { config } from './auth'

export default createMiddleware(requireAuth(config))
